import type { DatabaseOrTransaction } from '../database/database.ts'
import type { Clock } from '../kernel/clock.ts'
import { ApiError } from '../kernel/errors.ts'
import { flowStore } from './store.ts'

export interface FlowLimitOptions {
  readonly clock: Clock
  /** The purposes of the kind. */
  readonly purposes: readonly string[]
  /** What is under way, for the log. */
  readonly what: string
  readonly reason: 'too_many_sign_ins' | 'too_many_page_flows'
}

// A flow can be begun without credentials. Beyond the limit of an address, which suffices for a
// large site, its own oldest flows are removed; beyond that of the table new ones are refused.
export const maxPerAddress = 1000
export const maxPerAccount = 20
const maxUnderWay = 100_000
const recountMs = 10_000
const recountFullMs = 1000
const fullRetrySeconds = 30

/**
 * Creates the function that asserts that fewer than `maxUnderWay` flows of a kind are under way. The
 * database counts them at intervals, because counting 100,000 takes about 20 ms; in between, those
 * that begin in this process are added. It throws ApiError serviceUnavailable.
 */
export function createFlowLimit({
  clock,
  purposes,
  what,
  reason,
}: FlowLimitOptions): (db: DatabaseOrTransaction) => Promise<void> {
  let underWay = 0
  let countedAt = Number.NEGATIVE_INFINITY
  return async (db) => {
    const now = clock.now()
    const age = Math.abs(now - countedAt)
    if (age >= recountMs || (underWay >= maxUnderWay && age >= recountFullMs)) {
      countedAt = now // before the query, so that concurrent requests use the last count
      underWay = await flowStore(db).count(purposes, now)
    }
    if (underWay >= maxUnderWay) {
      throw new ApiError('serviceUnavailable', {
        cause: `too many ${what} are under way`,
        reason: { code: reason },
        retryAfterSeconds: fullRetrySeconds,
      })
    }
    underWay += 1
  }
}
