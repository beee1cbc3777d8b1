import { hostPrefix } from '../../core/http/pages/host-prefix.ts'

/** Envoy appends the request's path. */
export const forwardPath = '/api/authz/forward'

export const enterPath = `${hostPrefix}/enter`

export const hostSignOutPath = `${hostPrefix}/signout`
