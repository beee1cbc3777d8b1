import { flowCookieName } from '../../core/config/cookie-names.ts'
import { browserCookie } from '../flows/cookie.ts'
import { flowSeconds } from './flow.ts'

/**
 * The cookie that binds a sign-in at a provider to the browser that began it; later it holds the
 * ticket for the second factor.
 */
export const flowCookie = browserCookie(flowCookieName, flowSeconds)
