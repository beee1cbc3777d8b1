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
 * Stores the end of a pair for as long as any of its tokens may live: the latest of the configured
 * lifetimes from now, `exp` (seconds) of the presented token, the expiry in the pair's id, and the
 * expiry of the last rotated token. The last two may come from earlier, longer lifetimes.
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
