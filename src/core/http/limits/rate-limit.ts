import type { FastifyRequest } from 'fastify'
import plugin from 'fastify-plugin'
import { throttledAddress } from '../../addresses/address.ts'
import type { Config } from '../../config/load.ts'
import { ApiError } from '../../errors.ts'
import { inContextOf } from '../../events/context.ts'
import type { Events } from '../../events/events.ts'
import type { Clock } from '../../lib/clock.ts'
import { BoundedMap } from '../../limits/bounded-map.ts'
import { type Counted, RequestCounts } from '../../workers/request-counts.ts'
import type { Workers } from '../../workers/workers.ts'
import { rateLimitExceeded } from '../events.ts'
import { clientAddress } from './client-address.ts'

/**
 * The general rate limit (spec 8; off by default), per address, in a window from the first request.
 * Counted per node in memory, across workers, because the limit protects the node. Login limits:
 * throttle/.
 */
export interface RateLimitOptions {
  readonly config: Pick<Config, 'http'>
  readonly clock: Clock
  readonly events: Pick<Events, 'emit'>
  readonly workers: Pick<Workers, 'limits'>
}

/** Beyond this number the oldest address is counted again. */
const maxRefused = 10_000

export const rateLimit = plugin<RateLimitOptions>(
  async (app, { config, clock, events, workers }) => {
    const { max, windowSeconds } = config.http.rateLimit
    if (max === 0) return
    const windowMs = windowSeconds * 1000
    const own = new RequestCounts()

    const judge = (request: FastifyRequest, { requests, endsAt }: Counted, now: number) => {
      if (requests <= max) return
      // Once per address and window. The request context starts after this hook.
      if (requests === max + 1) inContextOf(request, () => events.emit(rateLimitExceeded, {}))
      const retryAfterSeconds = Math.max(1, Math.ceil((endsAt - now) / 1000))
      // Further requests of a rejected address are not counted.
      const counted = Number.isFinite(requests) ? requests : null
      const facts = { requests: counted, max, frees_at: endsAt }
      const reason = { code: 'too_many_requests', facts } as const
      throw new ApiError('tooManyRequests', { retryAfterSeconds, reason })
    }

    if (!workers.limits) {
      app.addHook('onRequest', (request, _reply, done) => {
        if (request.routeOptions.config.rateLimit === 'exempt') return done()
        const now = clock.now()
        judge(request, own.count(throttledAddress(clientAddress(request)), windowMs, now), now)
        done()
      })
      return
    }
    const { limits } = workers
    // Rejected until the window ends, without counting.
    const refused = new BoundedMap<string, Counted>(maxRefused)
    app.addHook('onRequest', async (request) => {
      if (request.routeOptions.config.rateLimit === 'exempt') return
      const now = clock.now()
      const address = throttledAddress(clientAddress(request))
      const known = refused.get(address)
      if (known && known.endsAt > now) return judge(request, known, now)
      const counted = await limits.countRequest(address, windowMs, now)
      if (counted.requests > max) {
        refused.set(address, { ...counted, requests: Number.POSITIVE_INFINITY })
      }
      judge(request, counted, now)
    })
  },
)
