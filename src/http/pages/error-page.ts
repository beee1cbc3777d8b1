import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Page, sendPage } from './page.ts'
import { sendView, type ViewPage } from './send-view.ts'

/** Answers the page of a refusal, whose status is set; the plain sentence if it cannot be rendered. */
export function sendErrorPage(
  reply: FastifyReply,
  request: FastifyRequest,
  page: Page | ViewPage,
): FastifyReply | Promise<FastifyReply> {
  if (!('view' in page)) return sendPage(reply, page)
  const { name, view, options } = page
  return sendView(reply, request, name, view, options)
}
