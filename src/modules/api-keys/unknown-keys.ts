import type { FastifyRequest } from 'fastify'
import { throttledAddress } from '../../core/addresses/address.ts'
import { ApiError } from '../../core/errors.ts'
import { clientAddress } from '../../core/http/limits/client-address.ts'
import type { Clock } from '../../core/lib/clock.ts'
import { BoundedMap } from '../../core/limits/bounded-map.ts'
import type { Quota } from '../throttle/throttle.ts'

const maxAddresses = 10_000

interface Count {
  readonly used: number
  readonly freesAt: number
}

/**
 * Unknown keys by address, or keys to revoke, in memory: 256 bits cannot be guessed, so the limit
 * only spares the database the reads.
 */
export function createUnknownKeys(clock: Clock, { attempts, windowSeconds }: Quota) {
  const counts = new BoundedMap<string, Count>(maxAddresses)

  function countOf(address: string): Count {
    const count = counts.get(address)
    if (count && count.freesAt > clock.now()) return count
    return { used: 0, freesAt: clock.now() + windowSeconds * 1000 }
  }

  return {
    /** @throws ApiError tooManyLoginAttempts */
    assertFew(request: FastifyRequest): void {
      const { used, freesAt } = countOf(throttledAddress(clientAddress(request)))
      if (attempts === 0 || used < attempts) return
      const facts = { used, attempts, window_seconds: windowSeconds, frees_at: freesAt }
      throw new ApiError('tooManyLoginAttempts', {
        retryAfterSeconds: Math.max(1, Math.ceil((freesAt - clock.now()) / 1000)),
        reason: { code: 'limit_key_address', facts },
      })
    },

    count(request: FastifyRequest): void {
      const address = throttledAddress(clientAddress(request))
      const { used, freesAt } = countOf(address)
      counts.set(address, { used: used + 1, freesAt })
    },
  }
}
