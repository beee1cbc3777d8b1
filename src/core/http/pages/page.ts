import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiError } from '../../errors.ts'
import type { Assets } from './assets.ts'
import { type Html, html } from './html.ts'
import { sendHtml } from './send-html.ts'
import type { ViewPage } from './send-view.ts'

/** A page of the reference. Pages for people: send-view.ts. */
export interface Page {
  readonly title: string
  /** Starts with an h1. */
  readonly main: Html
  /** Additional `head` elements. */
  readonly head?: Html
  /** Full window width. */
  readonly isWide?: boolean
}

/** A redirect within this service. */
export interface Elsewhere {
  readonly location: string
}

/** Error page or redirect for browser navigation; null: JSON. */
export type ErrorPage = (
  error: ApiError,
  request: FastifyRequest,
) => Page | ViewPage | Elsewhere | null

export function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  return sendHtml(reply, render(page, reply.server.frameAssets))
}

function render({ title, main, head, isWide }: Page, frameAssets: Assets): string {
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
