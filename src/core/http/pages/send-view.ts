import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Reader } from './frames.ts'
import { keepAskedLanguage } from './language.ts'
import { loadRenderer } from './renderer.ts'
import { sendHtml } from './send-html.ts'
import type { ViewName, Views } from './views.ts'

export interface ViewOptions extends Reader {
  readonly status?: number
  /** Final redirect origin of a flow's forms. */
  readonly returnOrigin?: string | null
}

/** The result of an `errorPage`. */
export interface ViewPage {
  readonly name: ViewName
  readonly view: Views[ViewName]
  readonly options: ViewOptions
}

/** For an `errorPage`. */
export function viewPage<Name extends ViewName>(
  name: Name,
  view: Views[Name],
  options: ViewOptions = {},
): ViewPage {
  return { name, view, options }
}

export async function sendView<Name extends ViewName>(
  reply: FastifyReply,
  request: FastifyRequest,
  name: Name,
  view: Views[Name],
  options: ViewOptions = {},
): Promise<FastifyReply> {
  const text = await rendered(request, viewPage(name, view, options))
  if (options.status !== undefined) reply.status(options.status)
  return sendRendered(reply, request, text, options)
}

/** @throws Error if `web/` was not built */
export async function rendered(
  request: FastifyRequest,
  { name, view, options }: ViewPage,
): Promise<string> {
  const { render } = await loadRenderer(request.server.builtPages)
  return render(name, view, request.server.frameOf(request, options))
}

export function sendRendered(
  reply: FastifyReply,
  request: FastifyRequest,
  text: string,
  options: ViewOptions,
): FastifyReply {
  keepAskedLanguage(request, reply)
  return sendHtml(reply, text, options)
}
