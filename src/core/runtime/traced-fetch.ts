import { currentTrace } from '../events/context.ts'
import { traceHeaders } from '../events/trace-context.ts'
import { fetchFailure } from '../outbound/fetch-failure.ts'
import type { Traces } from './tracing.ts'

export interface TracedFetchOptions {
  readonly fetch: typeof fetch
  /** Null: nothing is exported, and the trace of the caller is handed on. */
  readonly traces: Pick<Traces, 'beginCall'> | null
  /** An address whose paths tell something of a password: its requests are named without theirs. */
  readonly hiddenPaths?: string | undefined
}

/**
 * Makes the `fetch` of all requests to other services, which hands the trace of the work under way
 * on, and measures each request if traces are exported. W3C Trace Context.
 */
export function tracedFetch({ fetch, traces, hiddenPaths }: TracedFetchOptions): typeof fetch {
  return async (input, init) => {
    const span = traces?.beginCall(attributesOf(input, init, hiddenPaths)) ?? null
    const trace = span ?? currentTrace()
    if (!trace) return fetch(input, init)
    const headers = new Headers(init?.headers)
    for (const [name, value] of Object.entries(traceHeaders(trace))) headers.set(name, value)
    try {
      const response = await fetch(input, { ...init, headers })
      span?.set('http.response.status_code', response.status)
      if (response.status >= 400) span?.fail(String(response.status))
      return response
    } catch (error) {
      span?.fail(fetchFailure(error))
      throw error
    } finally {
      span?.end()
    }
  }
}

/** OpenTelemetry's semantic conventions of HTTP clients. A query may hold secrets. */
function attributesOf(
  input: Parameters<typeof fetch>[0],
  init: RequestInit | undefined,
  hiddenPaths: string | undefined,
) {
  const { href, origin, hostname, pathname, port, protocol } = new URL(
    input instanceof Request ? input.url : input,
  )
  const isHidden = hiddenPaths !== undefined && href.startsWith(`${hiddenPaths}/`)
  return {
    'http.request.method': init?.method ?? 'GET',
    'server.address': hostname,
    'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
    'url.full': isHidden ? `${hiddenPaths}/REDACTED` : `${origin}${pathname}`,
  }
}
