import type { LightMyRequestResponse } from 'fastify'
import createClient, { type Client, type Middleware } from 'openapi-fetch'
import type { paths } from '../../web/console/api/openapi.d.ts'
import type { Headers, TestApp } from '../app.ts'

/** A client whose paths, parameters, bodies and answers have the types of docs/openapi.json. */
export type TypedClient = Client<paths>

/** Makes the client as another program does, but that its requests are injected. */
export function typedClient(app: TestApp, headers: Headers = {}): TypedClient {
  const { baseUrl } = app.deps.config
  return noted(createClient<paths>({ baseUrl, headers, fetch: injecting(app) }))
}

/** The same over HTTP. */
export function typedClientOver(url: string, headers: Headers = {}): TypedClient {
  return noted(createClient<paths>({ baseUrl: url, headers }))
}

/** The answers of all clients so far: `GET /users/{id} 200`. */
export const answered = new Set<string>()

const note: Middleware = {
  onResponse({ request, schemaPath, response }) {
    answered.add(`${request.method} ${schemaPath} ${response.status}`)
  },
}

function noted(client: TypedClient): TypedClient {
  client.use(note)
  return client
}

/**
 * The data of an answer, with the type of the operation's success.
 * @throws Error for a refusal
 */
export function dataOf<T>(answer: { data?: T; error?: unknown; response: Response }): T {
  const { data, error, response } = answer
  if (!response.ok || data === undefined) {
    throw new Error(`${response.url} answers ${response.status} ${JSON.stringify(error)}`)
  }
  return data
}

function injecting({ app, deps }: TestApp): (request: Request) => Promise<Response> {
  return async (request) => {
    const payload = Buffer.from(await request.arrayBuffer())
    const response = await app.server.inject({
      method: request.method as 'GET', // one of the document's
      url: request.url.slice(deps.config.baseUrl.length),
      headers: Object.fromEntries(request.headers),
      ...(payload.length > 0 && { payload }),
    })
    return responseOf(response)
  }
}

function responseOf({ statusCode: status, headers, rawPayload }: LightMyRequestResponse): Response {
  const all = Object.entries(headers).flatMap(([name, values]) =>
    [values ?? []].flat().map((value): [string, string] => [name, String(value)]),
  )
  return new Response(rawPayload.length > 0 ? new Uint8Array(rawPayload) : null, {
    status,
    headers: all,
  })
}
