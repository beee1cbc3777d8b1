import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import { anyone, role } from '../policy/rules.ts'
import { renderPage, stylesheet } from './page.ts'

/**
 * Docs room: GET /api/openapi.json and the reference page GET /api/docs, which is plain HTML with one
 * style sheet, so that it works under the service's own Content-Security-Policy. Anyone may read
 * them in development, an ADMIN in production.
 */
export async function docsRoutes(
  app: FastifyInstance,
  { config }: { config: Pick<Config, 'environment'> },
): Promise<void> {
  const access = { rule: config.environment === 'production' ? role('ADMIN') : anyone }
  let document: string | undefined
  let page: string | undefined
  const read = () => (document ??= JSON.stringify(app.swagger()))

  app.get(
    '/api/openapi.json',
    { config: { access }, schema: { summary: 'This document' } },
    async (_request, reply) => reply.type('application/json; charset=utf-8').send(read()),
  )
  app.get(
    '/api/docs',
    { config: { access }, schema: { summary: 'This document as a page' } },
    async (_request, reply) =>
      reply.type('text/html; charset=utf-8').send((page ??= renderPage(JSON.parse(read())))),
  )
  app.get(
    '/api/docs/style.css',
    { config: { access }, schema: { hide: true } },
    async (_request, reply) => reply.type('text/css; charset=utf-8').send(stylesheet),
  )
}
