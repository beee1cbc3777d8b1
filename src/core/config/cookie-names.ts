/** Binds a sign-in to its browser; reserved. */
export const flowCookieName = '__Host-oauth'
/** Binds page flows to their browser; reserved. */
export const pageCookieName = '__Host-flow'
/**
 * Cookies of session and browser at the host of a proxied application. BASE_URL may share that
 * host, so the session cookie cannot have these names.
 */
export const hostSessionCookieName = '__Host-gatehouse'
export const hostBrowserCookieName = '__Host-gatehouse-browser'
