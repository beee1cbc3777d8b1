import { isDeepStrictEqual } from 'node:util'
import type { ChangeFeed, Database, DatabaseOrTransaction } from '../database/database.ts'
import { type Guard, lockName, transact } from '../database/transactions.ts'
import { inNoContext } from '../events/context.ts'
import type { Events } from '../events/events.ts'
import { type Clock, clockLeewayMs } from '../kernel/clock.ts'
import type { AccessClaims } from '../kernel/principal.ts'
import type { RefreshClaims } from './claims.ts'
import { commitsLost } from './events.ts'
import { KnownRevocations, pairName, sidOf } from './known-revocations.ts'
import { type PairEndDeps, storePairEnd } from './pair-end.ts'
import { revocationStore } from './revocation-store.ts'

/**
 * Access tokens that ended before their time. Spec 3.2: a deny-list of single tokens (logout) and a
 * version per user (password, roles, lock, disabling, deletion). All of it lies in the database, as
 * a log, and in memory; no table is read for a token of the last week. What another process appends is
 * seen because the database's version changed; until it is read, no token passes. The log tells of a
 * user's version for a week and of a pair for a day; the signer of a token says how long it lives,
 * so an older one is looked up.
 */
export interface Revocations {
  /** @throws DatabaseUnavailable where it cannot be told: never open by error */
  refuses(claims: JudgedClaims): boolean | Promise<boolean>
  /** The same by what `db` has: inside a transaction, where nothing that comes later must count. */
  refusesBy(db: DatabaseOrTransaction, claims: JudgedClaims): Promise<boolean>
  /** Differs once the database may have been changed; as of the last `refuses`. */
  readonly epoch: number
  /**
   * Ends one token; one that has ended already is left as it is.
   * @throws DatabaseUnavailable where that cannot be stored
   */
  revoke(claims: Pick<AccessClaims, 'jti' | 'exp'>, how?: HowToRevoke): Promise<void>
  /**
   * Ends a pair, by a token of it that lives until `exp` (seconds): the refresh token, what
   * rotation gave or will give for it, and every access token of either. @throws as `revoke`
   */
  endPair(sid: string, exp: number, how?: HowToRevoke): Promise<void>
  /** Whether an earlier version has ended a refresh token by itself. @throws as `refuses` */
  refusesRefresh(claims: Pick<RefreshClaims, 'rid'>): boolean | Promise<boolean>
  /** Ends a user's access tokens below a version, in the transaction of what caused it. */
  revokeBelow(trx: DatabaseOrTransaction, userId: number, accessVersion: number): Promise<void>
  /** The log has grown by a transaction of this process: read it before the next token passes. */
  appended(): void
  purge(most: number): Promise<number>
}

export interface HowToRevoke {
  /** Judges the caller in the same transaction. */
  readonly guard?: Guard | undefined
  /** In the same transaction, where there was anything to end. */
  readonly also?: (trx: DatabaseOrTransaction) => Promise<void>
}

export type JudgedClaims = Pick<AccessClaims, 'jti' | 'sid' | 'sub' | 'ver' | 'iat'>

export interface RevocationsDeps extends PairEndDeps {
  readonly db: Database
  readonly feed: ChangeFeed
  readonly clock: Clock
  readonly events: Events
}

/** A refresh token that an earlier version has ended, by itself. */
function refreshName(rid: string): string {
  return `refresh ${rid}`
}

// How long the log holds a user's version, and a pair. A refresh token, which lives for a week, is
// looked up in a table when it is used, so that memory holds no week of logouts.
const loggedMs = 7 * 86_400_000
const pairLoggedMs = 86_400_000

export async function loadRevocations(deps: RevocationsDeps): Promise<Revocations> {
  const { db, feed, clock, events } = deps
  const store = revocationStore(db)
  const known = new KnownRevocations()
  let appends = 0 // of this process, which the feed does not tell of
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

    revoke: ({ jti, exp }, how = {}) => deny(jti, exp * 1000, how),

    async endPair(sid, exp, how = {}) {
      const token = pairName(sid)
      // Nothing is given for a pair that has ended.
      if (known.endOf(token) > 0) return how.guard?.judge(db)
      const work = async (trx: DatabaseOrTransaction) => {
        await storePairEnd(trx, sid, exp, deps)
        await revocationStore(trx).append({ token }, clock.now() + pairLoggedMs)
      }
      await append(token, work, how)
    },

    async revokeBelow(trx, userId, accessVersion) {
      await revocationStore(trx).append({ userId, accessVersion }, clock.now() + loggedMs)
    },

    appended() {
      appends += 1
    },

    async purge(most) {
      const now = clock.now() - clockLeewayMs
      known.forget(now)
      return store.purge(now, most)
    },
  }

  async function deny(token: string, endMs: number, how: HowToRevoke): Promise<void> {
    // The column takes integers alone; an operator's own token, or an administrator, may say anything.
    const expiresAt = Math.ceil(Math.min(endMs, Number.MAX_SAFE_INTEGER))
    const isKnown = known.endOf(token) >= expiresAt
    // Logging out again and again writes nothing.
    if (isKnown || expiresAt <= clock.now()) return how.guard?.judge(db)
    await append(token, (trx) => revocationStore(trx).append({ token }, expiresAt), how)
  }

  async function append(
    token: string,
    work: (trx: DatabaseOrTransaction) => Promise<void>,
    { also, guard }: HowToRevoke,
  ): Promise<void> {
    const all = async (trx: DatabaseOrTransaction) => {
      await work(trx)
      await also?.(trx)
    }
    await transact(db, [lockName.revocations, lockName.token(token)], all, guard)
    appends += 1
    await catchUp()
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
   * What was committed before the call is known after it. One read for all who wait; those who come
   * while it runs share the next one, or its failure.
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
    // As it is before the read: what comes meanwhile is looked for again.
    const [readAppends, readVersion] = [appends, feed.version()]
    const now = clock.now() - clockLeewayMs
    const { last } = known
    let isBehindLast = !last
    for await (const entries of store.from(last?.id ?? 0, now)) {
      isBehindLast ||= isDeepStrictEqual(entries[0], last)
      if (!isBehindLast) break
      known.add(entries)
    }
    if (!isBehindLast) await readAnew(now)
    seenAppends = readAppends
    seenVersion = readVersion
    epoch += 1
  }

  /**
   * The last entry has expired, or the database has lost it: a replica took over that had not heard
   * of it yet, or a backup. Then ids are given again, and nothing says which of those below the last
   * one are new; and what was revoked is revoked once more, so that it stays so on every node.
   */
  async function readAnew(now: number): Promise<void> {
    const entries = (await Array.fromAsync(store.from(0, now))).flat()
    if (known.missingIn(entries, clock.now()).length > 0) await restore()
    known.startAnew(entries)
  }

  async function restore(): Promise<void> {
    await transact(db, [lockName.revocations], async (trx) => {
      const log = revocationStore(trx)
      const now = clock.now()
      const there = (await Array.fromAsync(log.from(0, now))).flat() // another node may have been first
      const missing = known.missingIn(there, now)
      for (const { revocation, expiresAt } of missing) {
        // One millisecond more: not to be taken for the entry that was lost.
        await log.append(revocation, Math.min(expiresAt + 1, Number.MAX_SAFE_INTEGER))
        if ('token' in revocation) {
          const sid = sidOf(revocation.token)
          if (sid !== null) await storePairEnd(trx, sid, 0, deps)
          continue
        }
        await log.raiseVersion(revocation.userId, revocation.accessVersion)
      }
      if (missing.length === 0) return
      await events.record(trx, commitsLost, { revocations_restored: missing.length })
    })
    appends += 1
  }
}
