import { flowCookieName } from '../../core/config/cookie-names.ts'
import { browserCookie } from '../flows/cookie.ts'
import { flowSeconds } from './flow.ts'

/** Binds a sign-in to its browser; later holds the second factor's ticket. */
export const flowCookie = browserCookie(flowCookieName, flowSeconds)
