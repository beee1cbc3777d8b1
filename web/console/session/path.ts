/** The script reads the session here, and the page preloads it. */
export const sessionPath = '/api/session'
