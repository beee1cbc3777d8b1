import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Language } from '../../config/languages.ts'
import type { Frame } from './frame.ts'
import { frameAssets } from './frame-assets.ts'
import { loadRenderer } from './renderer.ts'
import { sendHtml } from './send-html.ts'
import type { ViewName, Views } from './views.ts'

export interface ViewOptions {
  readonly status?: number
  /** The language of the account or the flow, which counts before what the browser asks for. */
  readonly language?: Language | null
  /** The username of the person who is signed in, for the head of the page. */
  readonly person?: string | null
}

/** A page to be rendered: what an `errorPage` answers. */
export interface ViewPage {
  readonly name: ViewName
  readonly view: Views[ViewName]
  readonly options: ViewOptions
}

/** A page by its name and what it shows, for an `errorPage`. */
export function viewPage<Name extends ViewName>(
  name: Name,
  view: Views[Name],
  options: ViewOptions = {},
): ViewPage {
  return { name, view, options }
}

/** Answers a page for people, in their language and in the frame of the service. */
export async function sendView<Name extends ViewName>(
  reply: FastifyReply,
  request: FastifyRequest,
  name: Name,
  view: Views[Name],
  options: ViewOptions = {},
): Promise<FastifyReply> {
  const { render } = await loadRenderer()
  if (options.status !== undefined) reply.status(options.status)
  return sendHtml(reply, render(name, view, frameOf(request, options)))
}

function frameOf(_request: FastifyRequest, { language, person }: ViewOptions): Frame {
  return {
    language: language ?? 'en',
    name: 'Gatehouse',
    files: {
      style: frameAssets.address('pages.css'),
      module: frameAssets.address('pages.js'),
      icon: frameAssets.address('icon.svg'),
      look: null,
      logo: null,
    },
    here: null,
    person: person ?? null,
  }
}
