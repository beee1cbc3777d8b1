import { html } from '../http/pages/html.ts'
import type { ErrorPage, Page } from '../http/pages/page.ts'

export interface HomeContent {
  readonly links: Readonly<
    Record<'documentation' | 'openapi' | 'jwks' | 'health', { readonly href: string }>
  >
  /** The identity providers; the label is for people. */
  readonly signIn: readonly {
    readonly href: string
    readonly logout: string
    readonly label: string
  }[]
  /** Whether only an administrator may read the documents. */
  readonly isForAdmin: boolean
}

/** The page of `/`: what this is, how to sign in, and where the documents are. */
export function homePage({ links, signIn, isForAdmin }: HomeContent): Page {
  return {
    title: 'Authentication and users',
    main: html`<h1>Gatehouse</h1>
<p>This service keeps the users and accounts of applications, and signs them in. Applications call it;
there is little to see for people here.</p>
<h2>Sign in</h2>
${
  signIn.length > 0
    ? html`<ul class="actions">${signIn.map(
        ({ href, label }) =>
          html`<li><a class="button" href="${href}">Sign in with ${label}</a></li>`,
      )}</ul>
<p>On a shared computer, log out when you have finished: ${signIn.map(
        ({ logout, label }, index) =>
          html`${index > 0 && ', '}<a href="${logout}">log out of ${label}</a>`,
      )}.</p>
<p>With a username and a password you sign in to the application that you want to use.</p>`
    : html`<p>With a username and a password you sign in to the application that you want to use: it sends
them to this service.</p>`
}
<h2>For developers</h2>
<ul>
<li><a href="${links.documentation.href}">Reference of the API</a>${isForAdmin && adminOnly}</li>
<li><a href="${links.openapi.href}">OpenAPI document</a>, for clients that are generated${isForAdmin && adminOnly}</li>
<li><a href="${links.jwks.href}">Public keys</a>, for services that verify its tokens</li>
<li><a href="${links.health.href}">Health</a>: whether it serves requests now</li>
</ul>
<p>An application signs a user in with <code>POST /login</code>, by form or JSON, and gets a session, a
token or a pair of tokens. Programs that ask for <code>/</code> get these links as JSON.</p>`,
  }
}

const adminOnly = html` <span class="muted">(administrators only: asks for a username and a password)</span>`

/** The page of a refusal of `/` itself, for example when it is asked too often. */
export const troublePage: ErrorPage = ({ status }) => ({
  title: 'Not now',
  main: html`<h1>${status === 429 ? 'You have asked too often' : 'This page cannot be shown now'}</h1>
<p>${status === 429 ? 'Wait a little, and then try again.' : 'Try again in a moment.'}</p>
<ul class="actions"><li><a class="button" href="/">Try again</a></li></ul>`,
})
