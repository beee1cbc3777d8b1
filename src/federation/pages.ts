import { html } from '../http/pages/html.ts'
import type { ErrorPage, Page } from '../http/pages/page.ts'
import type { ErrorName } from '../kernel/errors.ts'
import { parseReturnTo } from './return-to.ts'

/** The texts of the page after the browser has returned. */
const done = {
  signed_in: ['Signed in', 'You are signed in.'],
  linked: ['Identity linked', 'From now on it signs you in.'],
} as const

/** A page that goes on to a path of this service; `routes.ts` says why it is no redirect. */
export function landingPage(what: keyof typeof done, path: string): Page {
  const [title, text] = done[what]
  return {
    title,
    head: html`<meta http-equiv="refresh" content="0; url=${path}">`,
    main: html`<h1>${title}</h1>
<p>${text}</p>
<ul class="actions"><li><a class="button" href="${path}">Go on</a></li></ul>`,
  }
}

/** The form for the second factor of the account; after a wrong code it says so. */
export function secondFactorPage(problem?: string): Page {
  const marks = problem && html` aria-invalid="true" aria-describedby="problem"`
  return {
    title: problem ? `Error: ${secondFactorTitle}` : secondFactorTitle,
    main: html`<h1>${secondFactorTitle}</h1>
<p>Your account asks for a second factor. Enter the code that your authenticator app shows now, or one of
your recovery codes.</p>
${problem && html`<p class="notice" id="problem" role="alert">${problem}</p>`}
<form method="post" action="/oauth/second-factor">
<label for="totp">Code of your authenticator app</label>
<input id="totp" name="totp" inputmode="numeric" autocomplete="one-time-code" spellcheck="false" autofocus${marks}>
<p class="hint">Six digits, for example 123456.</p>
<label for="recovery_code">Or a recovery code</label>
<input id="recovery_code" name="recovery_code" autocomplete="off" autocapitalize="characters" spellcheck="false"${marks}>
<p class="hint">Each recovery code works once.</p>
<p class="actions"><button>Go on</button></p>
</form>
<p><a href="/">Cancel</a></p>`,
  }
}

const secondFactorTitle = 'Second factor'

/** A refusal in words: the heading, the reason, and whether beginning again can help. */
type Told = readonly [title: string, text: string, again?: 'again']

const told: Partial<Record<ErrorName, Told>> = {
  signInFailed: [
    'This sign-in cannot be finished',
    'It has taken too long, was finished before, or was begun in another browser or window.',
    'again',
  ],
  accessDenied: [
    'You were not signed in',
    'The identity provider did not confirm the sign-in, or your account may not be used here. If you did not cancel it yourself, ask an administrator of this service.',
    'again',
  ],
  passwordChangeRequired: [
    'Your password must be changed first',
    'Log in once with your username and password in the application that you use, and set a new password there.',
  ],
  enrolmentRequired: [
    'Your account needs a second factor',
    'Your roles ask for one, and none is set up yet. An application can set it up with the token below, within ten minutes. Give the token to no one.',
  ],
  identityLinked: [
    'This identity is linked already',
    'It signs in to another account. To link it here, unlink it there first.',
  ],
  invalidCredentials: ['You were not signed in', 'The account cannot be signed in to any more.'],
  tooManyLoginAttempts: [
    'Too many wrong codes',
    'For the protection of the account, no further code is accepted for some time.',
  ],
  tooManyRequests: ['You have asked too often', 'Wait a little before you try again.'],
  identityProvider: [
    'The identity provider made an error',
    'Its answer could not be used. Try again, and tell an administrator if it happens once more.',
    'again',
  ],
  serviceUnavailable: [
    'The sign-in does not work just now',
    'This service or the identity provider cannot be reached. Try again in a moment.',
    'again',
  ],
  routeNotFound: [
    'There is no such sign-in',
    'This service has no identity provider of that name. The start page shows those that it has.',
  ],
}
const otherwise: Told = ['Something went wrong', 'Nothing was changed. Go back and begin again.']

/** The page of a refused sign-in. It shows nothing that a provider has sent. */
export const failurePage: ErrorPage = (error, request) => {
  const { row, retryAfterSeconds, extra } = error
  const [title, text, again] = (typeof row === 'string' ? told[row] : undefined) ?? otherwise
  const { url = '' } = request.routeOptions
  const { provider } = request.params as { provider?: string } // of the routes that have one
  const begin = url
    .replace(/[^/]+$/, 'login')
    .replace(':provider', encodeURIComponent(provider ?? ''))
  const { return_to } = request.query as { return_to?: unknown } // parsed by Fastify
  const returnTo =
    return_to === undefined ? '' : `?return_to=${encodeURIComponent(parseReturnTo(return_to))}`
  const hasProvider = !url.endsWith('/second-factor')
  const token = extra?.enrolment_token
  return {
    title,
    main: html`<h1>${title}</h1>
<p>${text}</p>
${retryAfterSeconds !== undefined && html`<p>Try again in ${inWords(retryAfterSeconds)}.</p>`}
${typeof token === 'string' && html`<pre>${token}</pre>`}
<ul class="actions">
${again && hasProvider && html`<li><a class="button" href="${begin}${returnTo}">Sign in again</a></li>`}
<li><a class="button quiet" href="/">Start page</a></li>
</ul>
<p class="muted">${error.message}. For questions: request ${request.id}.</p>`,
  }
}

/** The page of a refused code: the form again while another code can help. */
export const refusedCodePage: ErrorPage = (error, request) => {
  if (error.row === 'invalidCredentials') {
    return secondFactorPage('This code is not right, or it was used before. Enter another one.')
  }
  if (error.row === 'secondFactorRequired') return secondFactorPage('Enter a code.')
  return failurePage(error, request)
}

function inWords(seconds: number): string {
  if (seconds <= 90) return seconds === 1 ? 'one second' : `${seconds} seconds`
  return `${Math.ceil(seconds / 60)} minutes`
}
