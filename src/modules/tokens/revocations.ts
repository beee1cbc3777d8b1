import { isDeepStrictEqual } from 'node:util'
import { mayConflict } from '../../core/database/commit.ts'
import type { ChangeFeed, Database, DatabaseOrTransaction } from '../../core/database/database.ts'
import {
  confirmEarlierEnd,
  type Guard,
  isPostgres,
  lockName,
  transact,
} from '../../core/database/transactions.ts'
import type { RefusalReason } from '../../core/errors.ts'
import { inNoContext } from '../../core/events/context.ts'
import type { Events } from '../../core/events/events.ts'
import { sharedAfterCall } from '../../core/lib/catch-up.ts'
import { type Clock, clockLeewayMs } from '../../core/lib/clock.ts'
import type { AccessClaims } from '../../core/policy/principal.ts'
import type { RefreshClaims } from './claims.ts'
import { commitsLost } from './events.ts'
import { KnownRevocations, pairName, sidOf } from './known-revocations.ts'
import { type PairEndDeps, storePairEnd } from './pair-end.ts'
import { revocationStore } from './revocation-store.ts'

/**
 * The revocations of access tokens. Spec 3.2: a deny-list of single tokens and pairs (logout), and
 * a version per user (password, roles, lock, deletion). The revocations are a log in the database,
 * which every process keeps in memory. The change feed reports entries of other processes; a
 * process accepts no token before it has read them. The log keeps the version of a user for a week
 * and a pair for a day; older tokens are looked up in the tables.
 */
export interface Revocations {
  /** Whether an access token is revoked. @throws DatabaseUnavailable if unknown: fails closed */
  refuses(claims: JudgedClaims): boolean | Promise<boolean>
  /** The reason after `refuses` returned true. */
  reasonOf(claims: JudgedClaims): RefusalReason
  /** Whether a token is revoked as `db` sees it, for a check in a transaction. */
  refusesBy(db: DatabaseOrTransaction, claims: JudgedClaims): Promise<boolean>
  /** Changes once the database may have changed; as of the last `refuses`. */
  readonly epoch: number
  /** Ends one token. @throws DatabaseUnavailable if the end cannot be stored */
  revoke(claims: Pick<AccessClaims, 'jti' | 'exp'>, options?: RevokeOptions): Promise<void>
  /**
   * Ends a pair: its refresh token, all rotated tokens, and all their access tokens. `exp`
   * (seconds) is the expiry of the presented token. @throws as `revoke`
   */
  endPair(sid: string, exp: number, options?: RevokeOptions): Promise<void>
  /**
   * Whether a previous version of this program ended this refresh token alone. @throws as `refuses`
   */
  refusesRefresh(claims: Pick<RefreshClaims, 'rid'>): boolean | Promise<boolean>
  /** Ends the access tokens of a user below a version, in the transaction of the change. */
  revokeBelow(trx: DatabaseOrTransaction, userId: number, accessVersion: number): Promise<void>
  /** Called after a transaction may have appended: the next check reads the log first. */
  appended(): void
  /** Deletes up to `batchSize` expired entries; returns the count. */
  purge(batchSize: number): Promise<number>
}

export interface RevokeOptions {
  /** Authorizes the caller again in the same transaction. */
  readonly guard?: Guard | undefined
  /** Further work of the same transaction, if there was anything to end. */
  readonly also?: (trx: DatabaseOrTransaction) => Promise<void>
}

export type JudgedClaims = Pick<AccessClaims, 'jti' | 'sid' | 'sub' | 'ver' | 'iat'>

export interface RevocationsDeps extends PairEndDeps {
  readonly db: Database
  /** For purges, which a power failure may undo. */
  readonly asyncCommitDb: Database
  readonly feed: ChangeFeed
  readonly clock: Clock
  readonly events: Events
}

/** Entries of a previous version of this program. */
function refreshName(rid: string): string {
  return `refresh ${rid}`
}

// How long the log keeps the version of a user, and a pair. Memory keeps pairs for one day: a
// refresh token, which lives for a week, is looked up in a table.
const loggedMs = 7 * 86_400_000
const pairLoggedMs = 86_400_000

export async function loadRevocations(deps: RevocationsDeps): Promise<Revocations> {
  const { db, asyncCommitDb, feed, clock, events } = deps
  const store = revocationStore(db)
  const known = new KnownRevocations()
  let appends = 0 // of this process: the change feed does not report them
  let seenAppends = -1
  let seenVersion = -1
  let epoch = 0
  /** Reads the log: afterwards every entry committed before the call is known. */
  const catchUp = sharedAfterCall(async () => {
    if (!isCaughtUp()) await inNoContext(readLog)
  })
  await catchUp()

  return {
    get epoch() {
      return epoch
    },

    refuses(claims) {
      return isCaughtUp() ? hasEnded(claims) : catchUp().then(() => hasEnded(claims))
    },

    reasonOf: (claims) => known.reasonOf(claims),

    async refusesBy(trx, claims) {
      if (trx.isTransaction && isPostgres(trx) && mayConflict(trx) && isCaughtUp()) {
        await revocationStore(trx).assertNoneAfter(known.lastId, clock.now() - clockLeewayMs)
        return hasEnded(claims, revocationStore(trx))
      }
      const later = new KnownRevocations()
      for await (const entries of revocationStore(trx).from(known.lastId + 1)) {
        later.add(entries)
      }
      return later.ends(claims) || hasEnded(claims, revocationStore(trx))
    },

    refusesRefresh({ rid }) {
      const token = refreshName(rid)
      return isCaughtUp() ? known.has(token) : catchUp().then(() => known.has(token))
    },

    revoke: ({ jti, exp }, options = {}) => deny(jti, exp * 1000, options),

    async endPair(sid, exp, options = {}) {
      const token = pairName(sid)
      // No token is issued for an ended pair.
      if (known.has(token)) return endedBefore(options)
      const work = async (trx: DatabaseOrTransaction) => {
        await storePairEnd(trx, sid, exp, deps)
        await revocationStore(trx).append({ token }, clock.now() + pairLoggedMs)
      }
      await append(token, work, options)
    },

    async revokeBelow(trx, userId, accessVersion) {
      await revocationStore(trx).append({ userId, accessVersion }, clock.now() + loggedMs)
    },

    appended,

    async purge(batchSize) {
      const now = clock.now() - clockLeewayMs
      known.forget(now)
      return revocationStore(asyncCommitDb).purge(now, batchSize)
    },
  }

  async function deny(token: string, endMs: number, options: RevokeOptions): Promise<void> {
    // The column holds integers; `exp` of an administrator, or of a token of the operator, may be
    // any number.
    const expiresAt = Math.ceil(Math.min(endMs, Number.MAX_SAFE_INTEGER))
    // A repeated logout writes nothing.
    if (expiresAt <= clock.now()) return options.guard?.authorize(db)
    if (known.endOf(token) >= expiresAt) return endedBefore(options)
    await append(token, (trx) => revocationStore(trx).append({ token }, expiresAt), options)
  }

  async function endedBefore({ guard }: RevokeOptions): Promise<void> {
    await guard?.authorize(db)
    await confirmEarlierEnd(db)
  }

  async function append(
    token: string,
    work: (trx: DatabaseOrTransaction) => Promise<void>,
    { also, guard }: RevokeOptions,
  ): Promise<void> {
    const all = async (trx: DatabaseOrTransaction) => {
      await work(trx)
      await also?.(trx)
    }
    await transact(db, [lockName.revocations, lockName.token(token)], all, guard)
    appended()
    await catchUp()
  }

  function appended(): void {
    appends += 1
  }

  function hasEnded(claims: JudgedClaims, tables = store): boolean | Promise<boolean> {
    if (known.ends(claims)) return true
    return isOlderThanLog(claims) && tables.hasEnded(claims)
  }

  function isOlderThanLog({ iat, sid }: JudgedClaims): boolean {
    return clock.now() - iat * 1000 >= (sid === undefined ? loggedMs : pairLoggedMs)
  }

  function isCaughtUp(): boolean {
    return seenAppends === appends && feed.isCurrent() && seenVersion === feed.version()
  }

  async function readLog(): Promise<void> {
    // Taken before the read: a later entry causes another read.
    const [readAppends, readVersion] = [appends, feed.version()]
    const now = clock.now() - clockLeewayMs
    const { last } = known
    let continuesLast = !last
    for await (const entries of store.from(known.lastId, now)) {
      continuesLast ||= isDeepStrictEqual(entries[0], last)
      if (!continuesLast) break
      known.add(entries)
    }
    if (!continuesLast) await reload(now)
    seenAppends = readAppends
    seenVersion = readVersion
    epoch += 1
  }

  /**
   * Reads the whole log again if the last known entry is missing: it expired, or the database lost
   * it (failover to an asynchronous replica, restored backup). After a loss the database assigns
   * ids again, so ids do not tell which entries are new. Revocations missing in the log are
   * appended again for all nodes.
   */
  async function reload(now: number): Promise<void> {
    const entries = (await Array.fromAsync(store.from(0, now))).flat()
    if (known.missingIn(entries, clock.now()).length > 0) await restore()
    known.reload(entries)
  }

  async function restore(): Promise<void> {
    await transact(db, [lockName.revocations], async (trx) => {
      const log = revocationStore(trx)
      const now = clock.now()
      const entries = (await Array.fromAsync(log.from(0, now))).flat()
      const missing = known.missingIn(entries, now) // without entries that another node has restored
      for (const { revocation, expiresAt } of missing) {
        // One more millisecond distinguishes the new entry from the lost entry.
        await log.append(revocation, Math.min(expiresAt + 1, Number.MAX_SAFE_INTEGER))
        if ('token' in revocation) {
          const sid = sidOf(revocation.token)
          if (sid !== null) await storePairEnd(trx, sid, 0, deps)
          continue
        }
        await log.raiseVersion(revocation.userId, revocation.accessVersion)
      }
      if (missing.length === 0) return
      await events.emitInTransaction(trx, commitsLost, { revocations_restored: missing.length })
    })
    appends += 1
  }
}
