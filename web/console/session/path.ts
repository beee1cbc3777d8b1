/** Where the session is read; the page names it too, so that a browser asks beside the script. */
export const sessionPath = '/api/session'
