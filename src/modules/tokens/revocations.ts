import { isDeepStrictEqual } from 'node:util'
import type { ChangeFeed, Database, DatabaseOrTransaction } from '../../core/database/database.ts'
import { type Guard, lockName, transact } from '../../core/database/transactions.ts'
import type { RefusalReason } from '../../core/errors.ts'
import { inNoContext } from '../../core/events/context.ts'
import type { Events } from '../../core/events/events.ts'
import { type Clock, clockLeewayMs } from '../../core/lib/clock.ts'
import type { AccessClaims } from '../../core/policy/principal.ts'
import type { RefreshClaims } from './claims.ts'
import { commitsLost } from './events.ts'
import { KnownRevocations, pairName, sidOf } from './known-revocations.ts'
import { type PairEndDeps, storePairEnd } from './pair-end.ts'
import { revocationStore } from './revocation-store.ts'

/**
 * The revocations of access tokens. Spec 3.2: a deny-list of single tokens and pairs (logout), and
 * a version per user (password, roles, lock, disabling, deletion). They are a log in the database,
 * which every process keeps in memory. A process notices an entry of another process by the change
 * feed, and accepts no token before it has read the new entries. The log holds the version of a
 * user for a week and a pair for a day. A token may live longer, so an older token is looked up in
 * the tables.
 */
export interface Revocations {
  /**
   * Whether an access token is revoked.
   * @throws DatabaseUnavailable if that is unknown: it fails closed
   */
  refuses(claims: JudgedClaims): boolean | Promise<boolean>
  /** Why an access token is revoked, of which `refuses` has just answered true. */
  reasonOf(claims: JudgedClaims): RefusalReason
  /** Whether an access token is revoked as `db` sees it, for a check inside a transaction. */
  refusesBy(db: DatabaseOrTransaction, claims: JudgedClaims): Promise<boolean>
  /** A number that changes once the database may have changed; as of the last `refuses`. */
  readonly epoch: number
  /**
   * Ends one token; does nothing if it has ended already.
   * @throws DatabaseUnavailable if the end cannot be stored
   */
  revoke(claims: Pick<AccessClaims, 'jti' | 'exp'>, options?: RevokeOptions): Promise<void>
  /**
   * Ends a pair: its refresh token, all that rotation issues for it, and all their access tokens.
   * `exp` (seconds) is the expiry of the token that was presented. @throws as `revoke`
   */
  endPair(sid: string, exp: number, options?: RevokeOptions): Promise<void>
  /**
   * Whether an earlier version of this program ended this refresh token alone.
   * @throws as `refuses`
   */
  refusesRefresh(claims: Pick<RefreshClaims, 'rid'>): boolean | Promise<boolean>
  /** Ends the access tokens of a user below a version, in the transaction of the change. */
  revokeBelow(trx: DatabaseOrTransaction, userId: number, accessVersion: number): Promise<void>
  /**
   * Notes that a transaction of this process may have appended: the next check reads the log first,
   * also those of the other workers of this machine, once it resolves.
   */
  appended(): Promise<void>
  /** Deletes up to `batchSize` expired entries of the log; answers how many. */
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
  /** For purges, which may be lost with the power. */
  readonly asyncCommitDb: Database
  readonly feed: ChangeFeed
  readonly clock: Clock
  readonly events: Events
}

/** The name in the log of a refresh token that an earlier version of this program ended alone. */
function refreshName(rid: string): string {
  return `refresh ${rid}`
}

// How long the log holds the version of a user, and a pair. Memory holds the pairs of one day only:
// a refresh token, which lives for a week, is looked up in a table when it is used.
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
  let reading: Promise<void> | undefined
  let next: Promise<void> | undefined
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
      const later = new KnownRevocations()
      for await (const entries of revocationStore(trx).from((known.last?.id ?? 0) + 1, 0)) {
        later.add(entries)
      }
      if (known.ends(claims) || later.ends(claims)) return true
      return isOlderThanLog(claims) && revocationStore(trx).hasEnded(claims)
    },

    refusesRefresh({ rid }) {
      const token = refreshName(rid)
      return isCaughtUp() ? known.endOf(token) > 0 : catchUp().then(() => known.endOf(token) > 0)
    },

    revoke: ({ jti, exp }, options = {}) => deny(jti, exp * 1000, options),

    async endPair(sid, exp, options = {}) {
      const token = pairName(sid)
      // No token is issued for a pair that has ended.
      if (known.endOf(token) > 0) return options.guard?.authorize(db)
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
    // The column holds integers; `exp` of an administrator, or of a token that the operator signed,
    // may be any number.
    const expiresAt = Math.ceil(Math.min(endMs, Number.MAX_SAFE_INTEGER))
    const isKnown = known.endOf(token) >= expiresAt
    // A repeated logout writes nothing.
    if (isKnown || expiresAt <= clock.now()) return options.guard?.authorize(db)
    await append(token, (trx) => revocationStore(trx).append({ token }, expiresAt), options)
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
    await appended()
    await catchUp()
  }

  async function appended(): Promise<void> {
    appends += 1
    await feed.announce?.()
  }

  function hasEnded(claims: JudgedClaims): boolean | Promise<boolean> {
    if (known.ends(claims)) return true
    return isOlderThanLog(claims) && store.hasEnded(claims)
  }

  function isOlderThanLog({ iat, sid }: JudgedClaims): boolean {
    return clock.now() - iat * 1000 >= (sid === undefined ? loggedMs : pairLoggedMs)
  }

  function isCaughtUp(): boolean {
    return seenAppends === appends && feed.isCurrent() && seenVersion === feed.version()
  }

  /**
   * Reads the log: after the call, everything that was committed before it is known. Concurrent
   * callers share a read. A caller that comes during a read shares the next one, and its failure.
   */
  function catchUp(): Promise<void> {
    if (!reading) {
      reading = inNoContext(readLog).finally(() => {
        reading = undefined
      })
      return reading
    }
    next ??= reading
      .finally(() => {
        next = undefined
      })
      .then(() => (isCaughtUp() ? undefined : catchUp()))
    return next
  }

  async function readLog(): Promise<void> {
    // Taken before the read: a later entry causes another read.
    const [readAppends, readVersion] = [appends, feed.version()]
    const now = clock.now() - clockLeewayMs
    const { last } = known
    let continuesLast = !last
    for await (const entries of store.from(last?.id ?? 0, now)) {
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
   * Reads the whole log again, because the last known entry is missing: it has expired, or the
   * database has lost it (an asynchronous replica took over, or a backup was restored). After a
   * loss the database gives ids a second time, so no id says which entries are new. Revocations
   * that are missing in the log are appended again, so that every node knows them.
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
      const missing = known.missingIn(entries, now) // without those that another node has restored
      for (const { revocation, expiresAt } of missing) {
        // One millisecond more, so that the new entry differs from the lost one.
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
