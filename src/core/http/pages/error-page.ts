import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Elsewhere, type Page, sendPage } from './page.ts'
import { rendered, sendRendered, type ViewPage } from './send-view.ts'

/** A page that cannot be rendered is logged and replaced by `plain`. */
export async function sendErrorPage(
  reply: FastifyReply,
  request: FastifyRequest,
  page: Page | ViewPage | Elsewhere,
  plain: () => FastifyReply,
): Promise<FastifyReply> {
  if ('location' in page) {
    request.guard = null // not a success: no reauthorization needed
    return reply.redirect(page.location, 303)
  }
  if (!('view' in page)) return sendPage(reply, page)
  let text: string
  try {
    text = await rendered(request, page)
  } catch (error) {
    request.log.error({ request_id: request.id, err: error }, 'a page could not be made')
    return plain()
  }
  return sendRendered(reply, request, text, page.options)
}
