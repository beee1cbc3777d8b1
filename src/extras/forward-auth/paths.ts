import { hostPrefix } from '../../core/http/pages/host-prefix.ts'

/** Where proxies ask; Envoy appends the path of the request. */
export const forwardPath = '/api/authz/forward'

/** Where a ticket is used, at the host of the application. */
export const enterPath = `${hostPrefix}/enter`

/** Leads from the host of the application to the page that signs out of all. */
export const hostSignOutPath = `${hostPrefix}/signout`
