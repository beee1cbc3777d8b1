import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiError } from '../../errors.ts'
import { frameAssets } from './frame-assets.ts'
import { type Html, html } from './html.ts'
import { sendHtml } from './send-html.ts'
import type { ViewPage } from './send-view.ts'

/** A page of the reference, in a frame of its own. The pages for people are views: send-view.ts. */
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

/**
 * Makes the page of a refusal, for a browser's navigation, or names the page that helps on; null for
 * the JSON of every other client.
 */
export type ErrorPage = (
  error: ApiError,
  request: FastifyRequest,
) => Page | ViewPage | Elsewhere | null

/** Answers a page. */
export function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  return sendHtml(reply, render(page))
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
