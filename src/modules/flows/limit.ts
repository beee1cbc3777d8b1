import { throttledNetwork } from '../../core/addresses/address.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { ApiError } from '../../core/errors.ts'
import type { Clock } from '../../core/lib/clock.ts'
import { flowStore, type StoredFlow } from './store.ts'

export interface FlowLimitOptions {
  readonly clock: Clock
  /** For the log. */
  readonly what: string
  readonly reason: 'too_many_sign_ins' | 'too_many_page_flows'
}

/** Limits per purpose. */
export interface FlowLimit {
  /**
   * For flows without account; other flows count towards their account's limit. @throws ApiError
   * serviceUnavailable
   */
  assertRoom(db: DatabaseOrTransaction, flow: FlowInput): Promise<void>
  /** Per account, or per address and network. */
  removeOldest(trx: DatabaseOrTransaction, flow: FlowInput & Pick<StoredFlow, 'id'>): Promise<void>
}

type FlowInput = Pick<StoredFlow, 'purpose' | 'address' | 'userId'>

// Over the limit of an address or network, the oldest flows are removed; over a purpose's limit,
// new flows are rejected. Customers often have an IPv6 /48: 65,536 /64 networks, each counted as
// one address.
const maxPerAddress = 1000
const maxPerNetwork = 4000
const maxPerAccount = 20
const maxPerPurpose = 100_000
const recountMs = 10_000
const recountFullMs = 1000
const fullRetrySeconds = 30

/**
 * Counting 100,000 flows takes about 20 ms: the database counts at intervals, plus the flows begun
 * here since.
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
        count.countedAt = now // before the query: concurrent requests use the last count
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
