import { throttledNetwork } from '../../core/addresses/address.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { ApiError } from '../../core/errors.ts'
import type { Clock } from '../../core/lib/clock.ts'
import { flowStore, type StoredFlow } from './store.ts'

export interface FlowLimitOptions {
  readonly clock: Clock
  /** What is under way, for the log. */
  readonly what: string
  readonly reason: 'too_many_sign_ins' | 'too_many_page_flows'
}

/** The limits of stored flows, for each purpose. */
export interface FlowLimit {
  /**
   * Asserts that a purpose has room for one more flow of no account. A flow of an account counts only
   * towards the limit of that account.
   * @throws ApiError serviceUnavailable
   */
  assertRoom(db: DatabaseOrTransaction, flow: FlowInput): Promise<void>
  /** Removes the oldest flows of the account, or of the address and its network, beyond their limits. */
  removeOldest(trx: DatabaseOrTransaction, flow: FlowInput & Pick<StoredFlow, 'id'>): Promise<void>
}

type FlowInput = Pick<StoredFlow, 'purpose' | 'address' | 'userId'>

// Beyond the limit of an address or a network, its oldest flows are removed; beyond the limit of a
// purpose, new flows are refused. A customer of a network provider often has an IPv6 /48, which holds
// 65,536 of the /64 networks that count as one address.
const maxPerAddress = 1000
const maxPerNetwork = 4000
const maxPerAccount = 20
const maxPerPurpose = 100_000
const recountMs = 10_000
const recountFullMs = 1000
const fullRetrySeconds = 30

/**
 * Creates the limits of stored flows. The database counts the flows of a purpose at intervals,
 * because counting 100,000 takes about 20 ms; in between, those that begin in this process are added.
 */
export function createFlowLimit({ clock, what, reason }: FlowLimitOptions): FlowLimit {
  const counts = new Map<string, { underWay: number; countedAt: number }>()

  return {
    async assertRoom(db, { purpose, userId }) {
      if (userId !== null) return
      const now = clock.now()
      const count = counts.get(purpose) ?? { underWay: 0, countedAt: Number.NEGATIVE_INFINITY }
      counts.set(purpose, count)
      const age = Math.abs(now - count.countedAt)
      if (age >= recountMs || (count.underWay >= maxPerPurpose && age >= recountFullMs)) {
        count.countedAt = now // before the query, so that concurrent requests use the last count
        count.underWay = await flowStore(db).countOfAddresses(purpose, now)
      }
      if (count.underWay >= maxPerPurpose) {
        throw new ApiError('serviceUnavailable', {
          cause: `too many ${what} are under way`,
          reason: { code: reason },
          retryAfterSeconds: fullRetrySeconds,
        })
      }
      count.underWay += 1
    },

    async removeOldest(trx, flow) {
      const rows = flowStore(trx)
      const { address, userId } = flow
      if (userId !== null) return rows.bound(flow, { userId }, maxPerAccount)
      await rows.bound(flow, { address }, maxPerAddress)
      const network = throttledNetwork(address)
      if (network !== null) await rows.bound(flow, { network }, maxPerNetwork)
    },
  }
}
