import { throttledAddress } from '../../core/addresses/address.ts'
import { digest } from '../../core/crypto/digest.ts'
import type { Database, DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { Browser } from './flows.ts'
import { createFlowLimit } from './limit.ts'
import { flowStore } from './store.ts'

/** A request of another program that waits for a person, in one browser; its content is sealed. */
export interface WaitingRequest {
  readonly id: string
  readonly sealed: string
  readonly seconds: number
  readonly browser: Browser
}

type Kept = Pick<WaitingRequest, 'id' | 'sealed'>

/** Stored and limited as the flows of pages are. */
export function createWaitingRequests(
  { clock, db }: { readonly clock: Clock; readonly db: Database },
  { purpose, what }: { readonly purpose: string; readonly what: string },
) {
  const limit = createFlowLimit({ clock, what, reason: 'too_many_page_flows' })
  const rest = { purpose, provider: '', userId: null, returnTo: '', step: '', language: null }
  return {
    /** @throws ApiError serviceUnavailable at the limit */
    async add(trx: DatabaseOrTransaction, { id, sealed, seconds, browser }: WaitingRequest) {
      const address = throttledAddress(browser.address)
      const expiresAt = clock.now() + seconds * 1000
      const flow = { ...rest, id, sealed, browser: digest(browser.cookie), address, expiresAt }
      await limit.assertRoom(trx, flow)
      await flowStore(trx).insert(flow)
      await limit.removeOldest(trx, flow)
    },

    /** The sealed content; null if it has ended, or waits in another browser. */
    async find(id: string, { cookie }: Pick<Browser, 'cookie'>): Promise<string | null> {
      const key = { id, browser: digest(cookie) }
      const flow = await flowStore(db).find(key, { purpose, now: clock.now() })
      return flow?.sealed ?? null
    },

    /** False if another request has changed it. */
    change(trx: DatabaseOrTransaction, kept: Kept, sealed: string): Promise<boolean> {
      const next = { step: '', sealed, userId: null, tries: 0 }
      return flowStore(trx).advance(kept, next, clock.now())
    },

    /** False if another request has changed it. */
    remove: (trx: DatabaseOrTransaction, kept: Kept) => flowStore(trx).remove(kept),
  }
}
