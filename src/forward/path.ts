/** Where proxies ask; Envoy appends the path of the request. */
export const forwardPath = '/api/authz/forward'
