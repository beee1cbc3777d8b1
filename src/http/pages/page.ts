import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiError } from '../../kernel/errors.ts'
import { securityHeaders } from '../headers.ts'
import { contentTypes } from '../media-types.ts'
import { createAssets } from './assets.ts'
import { type Html, html } from './html.ts'

/** A page for people, in the frame that all pages share. */
export interface Page {
  readonly title: string
  /** The content of `main`, which begins with an h1. */
  readonly main: Html
  /** Further elements of `head`. */
  readonly head?: Html
  /** Whether the page is as wide as the window allows. */
  readonly isWide?: boolean
}

/** Another page of this service, to which the browser is sent. */
export interface Elsewhere {
  readonly location: string
}

/** Makes the page of a refusal, for a browser's navigation, or names the page that helps on. */
export type ErrorPage = (error: ApiError, request: FastifyRequest) => Page | Elsewhere

/** The style sheet and the icon of all pages. */
export const frameAssets = createAssets('/assets', {
  'style.css': new URL('./style.css', import.meta.url),
  'icon.svg': new URL('./icon.svg', import.meta.url),
})

// Beside the field of spec 5.7, whose `default-src` covers none of these. CSP3 section 6.
const ownPolicy =
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'" as const

/**
 * Answers a page. It adds a second policy to the one of every answer, and sends its address to pages
 * of this origin: without a referrer a browser sends `Origin: null` with the forms of the page.
 */
export function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  return reply
    .headers({
      'content-security-policy': [securityHeaders['content-security-policy'], ownPolicy],
      'referrer-policy': 'same-origin',
      'content-type': contentTypes.html,
    })
    .serializer(String)
    .send(render(page))
}

/** Answers the page of a refusal, or sends the browser to the page that helps on. */
export function sendErrorPage(reply: FastifyReply, page: Page | Elsewhere): FastifyReply {
  return 'location' in page ? reply.redirect(page.location, 303) : sendPage(reply, page)
}

function render({ title, main, head, isWide }: Page): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} - Gatehouse</title>
<link rel="stylesheet" href="${frameAssets.address('style.css')}">
<link rel="icon" type="image/svg+xml" href="${frameAssets.address('icon.svg')}">
${head}
</head>
<body${isWide ? html` class="wide"` : ''}>
<a class="skip" href="#main">Skip to the content</a>
<header class="frame"><a href="/"><img src="${frameAssets.address('icon.svg')}" alt="" width="24" height="24">Gatehouse</a></header>
<main id="main" tabindex="-1">
${main}
</main>
</body>
</html>
`.toString()
}
