import { isLoopback } from '../../core/addresses/loopback.ts'
import { ApiError } from '../../core/errors.ts'
import { mediaTypes } from '../../core/http/media-types.ts'
import { providerFailed } from './problems.ts'

export type GuardedFetch = (url: string, init?: RequestInit) => Promise<Response>

/** Includes the whole body. */
const timeoutMs = 2000
const maxAnswerBytes = 1_048_576
const retrySeconds = 5

/**
 * Only https (http if the issuer is on loopback), no redirects, limits of time and size: a slow or
 * compromised provider can neither delay requests nor direct requests into the service's network.
 * @throws ApiError serviceUnavailable if the provider fails, identityProvider for an unacceptable
 * response
 */
export function guardedFetch(
  fetch: typeof globalThis.fetch,
  { allowsHttp }: { allowsHttp: boolean },
): GuardedFetch {
  return async (url, init = {}) => {
    const { protocol, hostname, origin, pathname } = new URL(url)
    const isSafe =
      protocol === 'https:' || (protocol === 'http:' && allowsHttp && isLoopback(hostname))
    if (!isSafe) throw wrong(`${origin} is no address for a provider`)
    const where = `${origin}${pathname}` // a query may contain secrets
    const limit = AbortSignal.timeout(timeoutMs)
    const signal = init.signal ? AbortSignal.any([limit, init.signal]) : limit
    let response: Response
    let body: Uint8Array<ArrayBuffer> | null
    try {
      response = await fetch(url, { ...init, redirect: 'manual', signal })
      body = await boundedBody(response)
    } catch (error) {
      throw unreachable(`${where}: ${reasonOf(error)}`)
    }
    if (body === null) throw wrong(`${where} answers more than ${maxAnswerBytes} bytes`)
    const { status, headers } = response
    if (status >= 500 || status === 429) throw unreachable(`${where} answers ${status}`)
    if (status >= 300 && status < 400) throw wrong(`${where} redirects`)
    return new Response(body.length === 0 ? null : body, { status, headers })
  }
}

/** @throws ApiError as `guardedFetch` */
export async function fetchJson(
  fetch: GuardedFetch,
  url: string,
  { headers, signal }: { readonly headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<unknown> {
  const accept = { accept: mediaTypes.json, ...headers }
  const response = await fetch(url, { headers: accept, ...(signal && { signal }) })
  if (response.status !== 200) throw wrong(`${url} answers ${response.status}`)
  return response.json().catch(() => {
    throw wrong(`${url} answers no JSON`)
  })
}

/** @throws ApiError as `guardedFetch` */
export async function fetchObject(
  fetch: GuardedFetch,
  url: string,
): Promise<Readonly<Record<string, unknown>>> {
  const value = await fetchJson(fetch, url)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw wrong(`${url} answers no JSON object`)
  }
  return value as Record<string, unknown>
}

/** Must never contain a credential. */
export function wrong(reason: string): ApiError {
  return new ApiError(providerFailed, {
    cause: new Error(reason),
    reason: { code: 'provider_answer_unacceptable', facts: { detail: reason } },
  })
}

/** A retry may succeed. */
export function unreachable(reason: string): ApiError {
  return new ApiError('serviceUnavailable', {
    cause: new Error(reason),
    retryAfterSeconds: retrySeconds,
    reason: { code: 'provider_unreachable', facts: { detail: reason } },
  })
}

/** Null as soon as the body is too long. */
async function boundedBody(response: Response): Promise<Uint8Array<ArrayBuffer> | null> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > maxAnswerBytes) return null // leaving the loop cancels the stream
    chunks.push(chunk)
  }
  return Uint8Array.from(Buffer.concat(chunks))
}

/** Adds the cause's code: fetch only says `fetch failed`. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  if (!(cause instanceof Error)) return error.message
  const code = 'code' in cause ? String(cause.code) : cause.message
  return `${error.message} (${code})`
}
