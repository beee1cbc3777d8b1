import createClient, { type FetchResponse, type Middleware } from 'openapi-fetch'
import { askForLogin } from '../session/ask-for-login.ts'
import { csrfToken, restoreSession } from '../session/session.ts'
import type { paths } from './openapi.d.ts'
import { ApiProblem, problemOf, unreachable } from './problem.ts'

/** How long a slow answer is waited for. */
const patienceMs = 30_000

/**
 * Sends a request in the session, with its CSRF token. Where the session has ended, or the API wants
 * a recent login, it asks for the login in place and then sends the request once more; a CSRF token
 * of another tab's session is read anew.
 */
async function send(request: Request): Promise<Response> {
  const again = request.clone()
  const sentWith = csrfToken()
  const response = await attempt(request)
  if (response.status !== 401 && response.status !== 403) return response
  const { error } = (await response
    .clone()
    .json()
    .catch(() => ({}))) as { error?: string }
  if (error === 'CSRF token invalid') await restoreSession()
  else if (response.status === 401)
    await askForLogin(error === 'Recent login required' ? 'recent' : 'ended', sentWith)
  else return response
  return attempt(again)
}

async function attempt(request: Request): Promise<Response> {
  if (request.method !== 'GET') request.headers.set('x-csrf-token', csrfToken())
  try {
    return await fetch(new Request(request, { signal: limited(request.signal) }))
  } catch (error) {
    if (request.signal.aborted) throw error
    throw unreachable(error)
  }
}

function limited(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
}

const client = createClient<paths>({ baseUrl: location.origin, fetch: send })
const json: Middleware = {
  onRequest({ request }) {
    request.headers.set('accept', 'application/json')
    // The language of the console, which may differ from the browser's.
    request.headers.set('accept-language', document.documentElement.lang)
  },
}
client.use(json)

/** The API, typed by docs/openapi.json: `await dataOf(api.GET('/api/admin/accounts', { signal }))`. */
export const api = client

/** The data of an answer. @throws ApiProblem for a refusal, and where nothing answers */
// biome-ignore lint/suspicious/noExplicitAny: the bounds of openapi-fetch's own type
export async function dataOf<Answer extends FetchResponse<any, any, any>>(
  answer: Promise<Answer>,
): Promise<NonNullable<Answer['data']>> {
  const { data, error, response } = await answer
  if (!response.ok) throw problemOf(response, error)
  return data
}

/** A resource and the entity tag of its version, which a change names in If-Match. */
export interface Tagged<Data> {
  readonly data: Data
  readonly etag: string
}

/** The data of an answer with its ETag, for a change with If-Match. */
// biome-ignore lint/suspicious/noExplicitAny: the bounds of openapi-fetch's own type
export async function taggedOf<Answer extends FetchResponse<any, any, any>>(
  answer: Promise<Answer>,
): Promise<Tagged<NonNullable<Answer['data']>>> {
  const done = await answer
  return {
    data: await dataOf(Promise.resolve(done)),
    etag: done.response.headers.get('etag') ?? '',
  }
}

export { ApiProblem }
