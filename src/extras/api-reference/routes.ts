import type { FastifyInstance } from 'fastify'
import type { Config } from '../../core/config/load.ts'
import { contentTypes, mediaTypes } from '../../core/http/media-types.ts'
import { createAssets } from '../../core/http/pages/assets.ts'
import { html } from '../../core/http/pages/html.ts'
import { type ErrorPage, sendPage } from '../../core/http/pages/page.ts'
import { named, Page } from '../../core/http/schemas.ts'
import { anyone, role } from '../../core/policy/rules.ts'

/** Modules import each other by these names; the first is the entry. */
const modules = [
  'main.js',
  'answers.js',
  'credentials.js',
  'curl.js',
  'elements.js',
  'requests.js',
  'search.js',
]
const files = createAssets('/assets/docs', () =>
  Object.fromEntries(
    ['reference.css', ...modules].map((name) => [
      name,
      new URL(`./browser/${name}`, import.meta.url),
    ]),
  ),
)

const OpenApi = named(
  'OpenApi',
  { type: 'object', required: ['openapi', 'info', 'paths'], additionalProperties: true },
  { openapi: '3.1.0', info: { title: 'Gatehouse', version: '1.0.0' }, paths: {} },
)

/**
 * GET /api/openapi.json and GET /api/docs. Public in development, ADMIN only in production; static
 * files contain nothing of the document. Own scripts and styles satisfy the
 * Content-Security-Policy.
 */
export async function routes(
  app: FastifyInstance,
  { config }: { config: Pick<Config, 'environment'> },
): Promise<void> {
  const access = { rule: config.environment === 'production' ? role('ADMIN') : anyone }
  // Lazy: slow, and needs all declared routes.
  const document = once(async () => {
    const { openApiOf } = await import('../../core/http/documents/openapi.ts')
    return JSON.stringify(openApiOf(app))
  })
  const page = once(async () => {
    const { referencePage } = await import('./page.ts')
    return referencePage(JSON.parse(await document()), {
      modules: modules.map((name) => files.address(name)),
      style: files.address('reference.css'),
    })
  })

  app.get(
    '/api/openapi.json',
    {
      config: { access, answers: { 200: { [mediaTypes.json]: OpenApi } } },
      schema: { operationId: 'getOpenApi', summary: 'This document' },
    },
    async (_request, reply) => reply.type(contentTypes.json).send(await document()),
  )
  app.get(
    '/api/docs',
    {
      config: {
        access,
        isReference: true,
        errorPage: refusedPage,
        answers: { 200: { [mediaTypes.html]: Page } },
      },
      schema: { operationId: 'getDocs', summary: 'This document as a page' },
    },
    async (_request, reply) => sendPage(reply, await page()),
  )
  files.routes(app)
}

/** Shown when the browser's password prompt is cancelled. */
const refusedPage: ErrorPage = ({ status, message }) => ({
  title: 'Reference of the API',
  main: html`<h1>The reference cannot be shown</h1>
<p>${
    status === 401 || status === 403
      ? 'Here it is for administrators. Load the page again to enter the username and the password of one.'
      : 'Try again in a moment.'
  }</p>
<ul class="actions"><li><a class="button" href="/api/docs">Load again</a></li>
<li><a class="button quiet" href="/">Start page</a></li></ul>
<p class="muted">${message}.</p>`,
})

/** Caches success; failures are retried. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}
