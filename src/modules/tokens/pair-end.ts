import type { Config } from '../../core/config/load.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { type Clock, epochSeconds } from '../../core/lib/clock.ts'
import { firstExpiryOf } from './pair.ts'
import { rotationStore } from './rotation-store.ts'

export interface PairEndDeps {
  readonly config: Pick<Config, 'token'>
  readonly clock: Clock
}

/**
 * Stores that a pair has ended, for as long as any token of it may live. That is the latest of: the
 * configured lifetimes from now, `exp` (seconds) of the token that ended it, the expiry in its id,
 * and the expiry of the last token that rotation issued. The last two may come from longer
 * lifetimes.
 */
export async function storePairEnd(
  trx: DatabaseOrTransaction,
  sid: string,
  exp: number,
  { config, clock }: PairEndDeps,
): Promise<void> {
  const { accessSeconds, refreshSeconds } = config.token
  const store = rotationStore(trx)
  const given = await store.lastExpiryOf(sid)
  const longest = epochSeconds(clock.now()) + Math.max(accessSeconds, refreshSeconds)
  const last = Math.ceil(Math.max(longest, exp, firstExpiryOf(sid), given))
  await store.end(sid, Math.min(last, Number.MAX_SAFE_INTEGER))
}
