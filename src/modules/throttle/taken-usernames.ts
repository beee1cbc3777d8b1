import { throttledAddress } from '../../core/addresses/address.ts'
import { ApiError } from '../../core/errors.ts'
import type { Events } from '../../core/events/events.ts'
import { runAttempt } from './attempt.ts'
import { takenUsernamesKeys } from './keys.ts'
import { countOf, createLimiter, type Quota, type ThrottleDeps } from './throttle.ts'

/**
 * Rate limits of refusals because a username is taken. Each refusal reveals an account, and one
 * mailbox is enough to ask: refusals count for the confirmation and for the client.
 */
export interface TakenUsernames {
  /**
   * An attempt counts if the work throws `usernameExists`.
   * @throws ApiError tooManyRequests; errors of the work
   */
  attempt<T>(
    of: { readonly confirmation: string; readonly address: string },
    work: () => Promise<T>,
  ): Promise<T>
}

export const takenUsernamesQuota: Quota = { attempts: 10, windowSeconds: 900 }

export function createTakenUsernames(
  deps: ThrottleDeps & { readonly events: Pick<Events, 'emit'> },
): TakenUsernames {
  const limiter = createLimiter(deps)
  return {
    async attempt({ confirmation, address: client }, work) {
      const keys = takenUsernamesKeys(confirmation, throttledAddress(client))
      const of = { quota: takenUsernamesQuota, resetsOnSuccess: false } as const
      const answer = await limiter.reserve([
        { ...of, key: keys.confirmation, pendingLapses: false },
        { ...of, key: keys.client, pendingLapses: true },
      ])
      if ('exceeded' in answer) {
        const reason = { code: 'limit_taken_usernames', facts: countOf(answer) } as const
        const { retryAfterSeconds } = answer
        throw new ApiError('tooManyRequests', { retryAfterSeconds, reason })
      }
      const { reservation } = answer
      return runAttempt(deps, { reservation, events: deps.events, isFailure: isTaken }, work)
    },
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof ApiError && error.row === 'usernameExists'
}
