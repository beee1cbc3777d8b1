import { Counters, other } from './counters.ts'
import { bounds, Histogram } from './histogram.ts'

/** The client disconnected before the response. */
export const aborted = 'aborted'

export const unknownRoute = 'unknown'

/** Others are labelled `other`. */
const knownMethods: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
])

export class RouteMeasurements {
  readonly durations = new Histogram(bounds.request)
  readonly statuses = new Map<number | typeof aborted, { count: number }>()

  add(status: number | typeof aborted, seconds: number): void {
    const known = this.statuses.get(status)
    if (known) known.count += 1
    else this.statuses.set(status, { count: 1 })
    this.durations.observe(seconds)
  }
}

export interface Measured {
  measured?: RouteMeasurements | undefined
  /** As `performance.now()`. */
  beganAt?: number
}

/**
 * Counts by route pattern, never by path. State is on the response, so that requests share one
 * listener.
 */
export class RequestMeasurements {
  readonly #routes = new Map<string, Map<string, RouteMeasurements>>()
  /** By status: requests rejected before routing. */
  readonly unrouted = new Counters(
    ['400', '404', '408', '413', '431', '503'].map((status) => [status]),
  )
  inFlight = 0
  total = 0

  /** `route` is undefined if unmatched. */
  begin(response: Measured, route: string | undefined, method: string): void {
    this.inFlight += 1
    this.total += 1
    response.measured = this.#of(route ?? unknownRoute, method)
    response.beganAt = performance.now()
  }

  end(response: Measured & { readonly statusCode: number; readonly writableEnded: boolean }) {
    const { measured, beganAt = 0, statusCode, writableEnded } = response
    if (!measured) return
    response.measured = undefined
    this.inFlight -= 1
    measured.add(writableEnded ? statusCode : aborted, (performance.now() - beganAt) / 1000)
  }

  *entries(): Iterable<readonly [route: string, method: string, RouteMeasurements]> {
    for (const [route, methods] of this.#routes) {
      for (const [method, measurements] of methods) yield [route, method, measurements]
    }
  }

  #of(route: string, method: string): RouteMeasurements {
    return this.#routes.get(route)?.get(method) ?? this.#add(route, method)
  }

  #add(route: string, sent: string): RouteMeasurements {
    const method = knownMethods.has(sent) ? sent : other
    const methods = this.#routes.get(route) ?? new Map<string, RouteMeasurements>()
    this.#routes.set(route, methods)
    const measurements = methods.get(method) ?? new RouteMeasurements()
    methods.set(method, measurements)
    return measurements
  }
}
