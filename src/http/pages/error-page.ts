import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Elsewhere, type Page, sendPage } from './page.ts'
import { sendView, type ViewPage } from './send-view.ts'

/** Answers the page of a refusal, whose status is set, or sends the browser to the page that helps on. */
export function sendErrorPage(
  reply: FastifyReply,
  request: FastifyRequest,
  page: Page | ViewPage | Elsewhere,
): FastifyReply | Promise<FastifyReply> {
  if ('location' in page) return reply.redirect(page.location, 303)
  if (!('view' in page)) return sendPage(reply, page)
  const { name, view, options } = page
  return sendView(reply, request, name, view, options)
}
