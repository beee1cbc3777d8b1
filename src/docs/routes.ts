import type { FastifyInstance } from 'fastify'
import type { Config } from '../config/load.ts'
import { html, json, named, Page } from '../http/schemas.ts'
import { anyone, role } from '../policy/rules.ts'
import { icon, renderPage, stylesheet } from './page.ts'

const OpenApi = named(
  'OpenApi',
  { type: 'object', required: ['openapi', 'info', 'paths'], additionalProperties: true },
  { openapi: '3.1.0', info: { title: 'Gatehouse', version: '1.0.0' }, paths: {} },
)

/**
 * Docs room: GET /api/openapi.json and the reference page GET /api/docs. The page is plain HTML
 * with a style sheet, which the service's Content-Security-Policy allows. In development every
 * caller may read them, in production an ADMIN.
 */
export async function docsRoutes(
  app: FastifyInstance,
  { config }: { config: Pick<Config, 'environment'> },
): Promise<void> {
  const access = { rule: config.environment === 'production' ? role('ADMIN') : anyone }
  // Made at the first call, because it takes time and needs all routes to be declared.
  const document = once(() => JSON.stringify(app.openapi()))
  const page = once(() => renderPage(JSON.parse(document())))

  app.get(
    '/api/openapi.json',
    {
      config: { access, answers: { 200: { [json]: OpenApi } } },
      schema: { operationId: 'getOpenApi', summary: 'This document' },
    },
    async (_request, reply) => reply.type('application/json; charset=utf-8').send(document()),
  )
  app.get(
    '/api/docs',
    {
      config: { access, answers: { 200: { [html]: Page } } },
      schema: { operationId: 'getDocs', summary: 'This document as a page' },
    },
    async (_request, reply) => reply.type('text/html; charset=utf-8').send(page()),
  )
  for (const [url, type, text] of [
    ['/api/docs/style.css', 'text/css; charset=utf-8', stylesheet],
    ['/api/docs/icon.svg', 'image/svg+xml', icon],
  ] as const) {
    app.get(url, { config: { access }, schema: { hide: true } }, async (_request, reply) =>
      reply.type(type).send(text),
    )
  }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
