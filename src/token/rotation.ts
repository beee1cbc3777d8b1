import type { Config } from '../config/load.ts'
import type { Database, DatabaseOrTransaction } from '../database/database.ts'
import { type Guard, lockName, transact } from '../database/transactions.ts'
import type { Events } from '../events/events.ts'
import { type Clock, clockLeewayMs, epochSeconds } from '../kernel/clock.ts'
import { type Random, randomText } from '../kernel/random.ts'
import type { RefreshClaims } from './claims.ts'
import { tokenCreated } from './events.ts'
import { rotationStore } from './rotation-store.ts'

/**
 * Refresh tokens of a single use (`REFRESH_ROTATION=on`), RFC 9700 section 4.14.2: each use gives a
 * successor, and a second use of the same token ends the whole line, since one of the two who used
 * it is a thief. A retry within the grace period gets the same successor again, as long as that one
 * has not been used.
 */
export interface Rotation {
  /**
   * The successor's identity; `reused` where the token was used before, or the line has ended: then
   * the caller ends the pair. The guard judges the account in the same transaction.
   */
  use(claims: RefreshClaims, guard: Guard): Promise<Successor | 'reused'>
  /** The pair that a token came with, whatever was given for it since: the id of its line. */
  pairOf(claims: Pick<RefreshClaims, 'rid' | 'exp'>): Promise<string>
  /** Whether a pair has ended. */
  isEnded(sid: string): Promise<boolean>
  /** Whether a token was used already, or its line has ended; changes nothing. */
  isSpent(claims: Pick<RefreshClaims, 'rid' | 'exp'>): Promise<boolean>
  purge(most: number): Promise<number>
}

/** What makes a refresh token this one and no other. Times in seconds. */
export interface Successor {
  readonly rid: string
  readonly issuedAt: number
  readonly expiresAt: number
}

export interface RotationDeps {
  readonly config: Pick<Config, 'token'>
  readonly db: Database
  readonly clock: Clock
  readonly events: Pick<Events, 'record'>
  readonly random: Random
}

const ridBytes = 16

export function createRotation(deps: RotationDeps): Rotation {
  const { config, db, clock, events, random } = deps
  const { refreshSeconds, refreshGraceSeconds } = config.token
  return {
    use({ rid, exp, sub }, guard) {
      const work = async (trx: DatabaseOrTransaction): Promise<Successor | 'reused'> => {
        const store = rotationStore(trx)
        const now = clock.now()
        const earlier = await store.use(rid)
        const family = earlier?.family ?? (await store.familyOf({ rid, exp }))
        if (await store.isEnded(family)) return 'reused'
        if (earlier) {
          const isRetry = now < earlier.usedAt + refreshGraceSeconds * 1000
          if (isRetry && (await store.use(earlier.successor)) === null) {
            return given(trx, sub, successorOf(earlier))
          }
          return 'reused' // its caller ends the pair
        }
        const issuedAt = epochSeconds(now)
        const use = {
          rid,
          family,
          successor: randomText(random, ridBytes),
          issuedAt,
          // Never before the token that was used: what is known of it must not be forgotten earlier.
          expiresAt: Math.max(exp, issuedAt + refreshSeconds),
          usedAt: now,
        }
        await store.insert(use)
        return given(trx, sub, successorOf(use))
      }
      return transact(db, [lockName.account(sub)], work, guard)
    },

    pairOf: (claims) => rotationStore(db).familyOf(claims),

    isEnded: (sid) => rotationStore(db).isEnded(sid),

    async isSpent(claims) {
      const store = rotationStore(db)
      if (await store.use(claims.rid)) return true
      return store.isEnded(await store.familyOf(claims))
    },

    purge: (most) => rotationStore(db).purge(epochSeconds(clock.now() - clockLeewayMs), most),
  }

  async function given(trx: DatabaseOrTransaction, sub: string, successor: Successor) {
    await events.record(trx, tokenCreated, { user_id: Number(sub), grant: 'refresh' })
    return successor
  }
}

function successorOf(use: { successor: string; issuedAt: number; expiresAt: number }): Successor {
  return { rid: use.successor, issuedAt: use.issuedAt, expiresAt: use.expiresAt }
}
