import type { FastifyRequest } from 'fastify'
import plugin from 'fastify-plugin'
import type { Config } from '../../config/load.ts'
import { BoundedMap } from '../../kernel/bounded-map.ts'
import type { Clock } from '../../kernel/clock.ts'
import { ApiError } from '../../kernel/errors.ts'
import { clientAddress, throttledAddress } from './client-address.ts'

/**
 * The general limit of spec 8, off by default: so many requests per address in a window that starts
 * with the first of them. Counted in memory, by each process for itself: it guards against load, and
 * what guards the login is counted elsewhere.
 */
export interface RateLimitOptions {
  readonly config: Pick<Config, 'http'>
  readonly clock: Clock
}

interface Window {
  readonly endsAt: number
  requests: number
}

/** More addresses than these at once are no longer told apart from new ones; 10 MB of memory. */
const maxAddresses = 50_000

export const rateLimit = plugin<RateLimitOptions>(async (app, { config, clock }) => {
  const { max, windowSeconds } = config.http.rateLimit
  if (max === 0) return
  const windows = new BoundedMap<string, Window>(maxAddresses)

  app.addHook('onRequest', (request, _reply, done) => {
    if (request.routeOptions.config.rateLimit === 'exempt') return done()
    const now = clock.now()
    const { requests, endsAt } = count(throttledAddress(clientAddress(request)), now)
    if (requests <= max) return done()
    if (requests === max + 1) tell(request)
    const retryAfterSeconds = Math.max(1, Math.ceil((endsAt - now) / 1000))
    throw new ApiError('tooManyRequests', { retryAfterSeconds })
  })

  function count(address: string, now: number): Window {
    const known = windows.get(address)
    const window =
      known && known.endsAt > now ? known : { endsAt: now + windowSeconds * 1000, requests: 0 }
    if (window !== known) windows.set(address, window)
    window.requests += 1
    return window
  }
})

/** Once per window: a flood of requests is no reason for a flood of lines. */
function tell(request: FastifyRequest): void {
  const address = clientAddress(request)
  request.log.warn({ event: 'excess_rate_limit_exceeded', address }, 'too many requests')
}
