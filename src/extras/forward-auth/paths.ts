import { hostPrefix } from '../../core/http/pages/host-prefix.ts'

/** For proxies; Envoy appends the path of the request. */
export const forwardPath = '/api/authz/forward'

/** Redeems a ticket, at the host of the application. */
export const enterPath = `${hostPrefix}/enter`

/** Leads from the application's host to the global sign-out page. */
export const hostSignOutPath = `${hostPrefix}/signout`
