import { currentTrace } from '../events/context.ts'
import { traceHeaders } from '../events/trace-context.ts'
import { fetchFailure } from '../outbound/outbound-error.ts'
import type { Traces } from './tracing.ts'

export interface TracedFetchOptions {
  readonly fetch: typeof fetch
  /** Null: no export; the caller's trace is passed on. */
  readonly traces: Pick<Traces, 'beginCall'> | null
  /** Origin whose paths reveal parts of a password: omitted from spans. */
  readonly hiddenPaths?: string | undefined
}

/**
 * Propagates the current trace (W3C Trace Context) and measures requests if traces are exported.
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

/** OpenTelemetry HTTP client conventions, without queries, which may hold secrets. */
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
