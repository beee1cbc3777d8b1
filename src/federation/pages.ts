import { escapeHtml } from '../kernel/text.ts'

/**
 * The two pages of a sign-in. They have no script, style or external content, so that the service's
 * own Content-Security-Policy allows them.
 */

/** The texts of the page after the browser has returned. */
const done = {
  signed_in: ['Signed in', 'You are signed in.'],
  linked: ['Identity linked', 'From now on it signs you in.'],
} as const

/** A page that goes on to a path of this service; `routes.ts` says why it is no redirect. */
export function landingPage(what: keyof typeof done, path: string): string {
  const [title, text] = done[what]
  const target = escapeHtml(path)
  return page(
    title,
    `<p>${text} <a href="${target}">Go on</a></p>`,
    `<meta http-equiv="refresh" content="0; url=${target}">`,
  )
}

/** The form for the second factor of the account. */
export function secondFactorPage(): string {
  return page(
    'Second factor',
    `<form method="post" action="/oauth/second-factor">
<p><label>Code of your authenticator app
<input name="totp" inputmode="numeric" autocomplete="one-time-code" autofocus></label></p>
<p><label>or a recovery code
<input name="recovery_code" autocomplete="off"></label></p>
<p><button>Go on</button></p>
</form>`,
  )
}

function page(title: string, body: string, head = ''): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${head}
<title>${title} - Gatehouse</title>
<h1>${title}</h1>
${body}
</html>
`
}
