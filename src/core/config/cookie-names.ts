/** The cookie that binds a sign-in to its browser; the session cookie cannot have this name. */
export const flowCookieName = '__Host-oauth'
/** The cookie that binds flows of pages to their browser; the session cookie cannot have this name. */
export const pageCookieName = '__Host-flow'
/**
 * The cookies at the host of an application behind a proxy: of its session there, and of the browser.
 * A host of BASE_URL may be the one of an application too, so the session cookie cannot have these names.
 */
export const hostSessionCookieName = '__Host-gatehouse'
export const hostBrowserCookieName = '__Host-gatehouse-browser'
