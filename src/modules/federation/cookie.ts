import { flowCookieName } from '../../core/config/cookie-names.ts'
import { browserCookie } from '../flows/cookie.ts'
import { flowSeconds } from './flow.ts'

/** Binds a sign-in at a provider to its browser; later holds the ticket for the second factor. */
export const flowCookie = browserCookie(flowCookieName, flowSeconds)
