import { randomText } from '../../core/crypto/random.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { type Guard, lockName, transact } from '../../core/database/transactions.ts'
import type { LoginFacts } from '../../core/events/events.ts'
import { clockLeewayMs, epochSeconds } from '../../core/lib/clock.ts'
import type { Needs } from '../../core/module/services.ts'
import type { RefreshClaims } from './claims.ts'
import { tokenCreated } from './events.ts'
import { refreshEnd } from './refresh-end.ts'
import { rotationStore, type TokenFamily } from './rotation-store.ts'

/**
 * Refresh token rotation (`REFRESH_ROTATION=on`), RFC 9700 section 4.14.2. Each use issues a
 * successor. A second use of the same token ends the whole family, because one of the two clients
 * must be a thief. A retry within the grace period gets the same successor, unless the successor
 * has been used.
 */
export interface Rotation {
  /**
   * Uses a token and returns its successor; `reused` if the token was used before or its family has
   * ended: the caller then ends the pair. The guard checks the account in the same transaction.
   */
  use(claims: RefreshClaims, guard: Guard, login: LoginFacts): Promise<Successor | 'reused'>
  /**
   * The pair of a token, which stays the same through rotations, and whether the pair has ended.
   */
  pairOf(claims: Pick<RefreshClaims, 'rid' | 'exp'>): Promise<TokenFamily>
  isSpent(claims: Pick<RefreshClaims, 'rid' | 'exp'>): Promise<boolean>
  /** Deletes up to `batchSize` expired rows of each table; returns the larger count. */
  purge(batchSize: number): Promise<number>
}

/** The claims that make a refresh token unique. Times in seconds. */
export interface Successor {
  readonly rid: string
  readonly issuedAt: number
  readonly expiresAt: number
}

const ridBytes = 16

export function createRotation(
  deps: Pick<Needs, 'config' | 'db' | 'asyncCommitDb' | 'clock' | 'events' | 'random'>,
): Rotation {
  const { config, db, asyncCommitDb, clock, events, random } = deps
  const { refreshGraceSeconds } = config.token
  return {
    use({ authTime, rid, exp, sub }, guard, login) {
      const work = async (trx: DatabaseOrTransaction): Promise<Successor | 'reused'> => {
        const store = rotationStore(trx)
        const now = clock.now()
        const earlier = await store.use(rid)
        const family = await store.familyOf({ rid, exp })
        if (family.isEnded) return 'reused'
        if (earlier) {
          const isRetry = now < earlier.usedAt + refreshGraceSeconds * 1000
          if (isRetry && (await store.use(earlier.successor)) === null) {
            return issued(trx, sub, successorOf(earlier), login)
          }
          return 'reused'
        }
        const issuedAt = epochSeconds(now)
        const use = {
          rid,
          family: family.id,
          successor: randomText(random, ridBytes),
          issuedAt,
          // The use must stay known until the used token expires.
          expiresAt: Math.max(exp, refreshEnd(config.token, { authTime, issuedAt })),
          usedAt: now,
        }
        await store.insert(use)
        return issued(trx, sub, successorOf(use), login)
      }
      return transact(db, [lockName.account(sub)], work, guard)
    },

    pairOf: (claims) => rotationStore(db).familyOf(claims),

    async isSpent(claims) {
      const store = rotationStore(db)
      if (await store.use(claims.rid)) return true
      return (await store.familyOf(claims)).isEnded
    },

    purge: (batchSize) =>
      rotationStore(asyncCommitDb).purge(epochSeconds(clock.now() - clockLeewayMs), batchSize),
  }

  async function issued(
    trx: DatabaseOrTransaction,
    sub: string,
    successor: Successor,
    login: LoginFacts,
  ) {
    const payload = { user_id: Number(sub), grant: 'refresh' } as const
    await events.emitInTransaction(trx, tokenCreated, payload, { login })
    return successor
  }
}

function successorOf(use: { successor: string; issuedAt: number; expiresAt: number }): Successor {
  return { rid: use.successor, issuedAt: use.issuedAt, expiresAt: use.expiresAt }
}
