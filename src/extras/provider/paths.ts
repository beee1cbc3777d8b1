/** Where the library answers; each is a route of ours. */
export const protocolPaths = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  userinfo: '/oauth/userinfo',
  jwks: '/.well-known/jwks.json',
  pushed_authorization_request: '/oauth/par',
  device_authorization: '/oauth/device',
  code_verification: '/device',
  // The route is ours; the library only authenticates its clients. See client-authentication.ts.
  revocation: '/oauth/revoke',
}

export const discoveryPaths = [
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
]

export const interactionPath = '/oauth/interaction'
export const endSessionPath = '/oauth/end-session'
