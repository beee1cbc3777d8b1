import { setImmediate } from 'node:timers/promises'
import { digest } from '../../core/crypto/digest.ts'
import { randomText } from '../../core/crypto/random.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { KeptRows } from '../../core/database/kept-rows.ts'
import { confirmEarlierEnd, type Guard, transact } from '../../core/database/transactions.ts'
import type { RefusalReason } from '../../core/errors.ts'
import { isoTime } from '../../core/lib/clock.ts'
import { BoundedMap } from '../../core/limits/bounded-map.ts'
import type { Needs } from '../../core/module/services.ts'
import type { EndOptions } from '../accounts/accounts.ts'
import type { ProvenAccount } from '../authentication/completion.ts'
import { unknownAuthTime } from '../authentication/evidence.ts'
import { createEndReader, sessionEnds } from './ends.ts'
import { sessionCreated, sessionEnded, sessionExpired } from './events.ts'
import { type Ends, purgeSessions, type StoredSession, sessionStore } from './store.ts'

export { type StoredSession, toSession, withAccount } from './store.ts'

/**
 * Cookie sessions. A session ends by logout, by the idle timeout (30 minutes by default) or by the
 * absolute timeout; a kept session by its age alone. Spec 2.3, 3.1. The database holds only the digest of the cookie's value.
 */
export interface Sessions {
  /**
   * Starts a session in the transaction of a login. Ends the session whose cookie came with the
   * login, and the longest idle sessions above the limit.
   */
  start(trx: DatabaseOrTransaction, present: ProvenAccount, client: Client): Promise<NewSession>
  /** The session of a cookie's value; the request counts as activity. */
  resume(secret: string): LiveSession | EndedSession | Promise<LiveSession | EndedSession>
  /**
   * The session of another credential, as read with that credential. The id of a session is never a
   * credential.
   */
  resumeStored(
    session: StoredSession,
  ): LiveSession | EndedSession | Promise<LiveSession | EndedSession>
  /**
   * Reads the session of a request again, as `db` sees it; counts as activity. In a transaction the
   * session cannot end before the transaction. Null if the session has ended.
   */
  revalidate(db: DatabaseOrTransaction, id: string): Promise<LiveSession | null>
  /**
   * The session by its id, for a token that an application received in it: no activity of the
   * person. Null if the session has ended.
   */
  judge(id: string, reader?: DatabaseOrTransaction): Promise<LiveSession | null>
  /** As stored, to keep it with the token; null without a row. */
  stored(id: string): Promise<StoredSession | null>
  /** As `judge`, for a session that was read before; another node may know of later activity. */
  judgeStored(session: StoredSession): LiveSession | null
  /** The live sessions of an account, newest first; at most 1000. */
  of(userId: number): Promise<OwnSession[]>
  /** Ends one of these sessions by its handle; null if there is no such session. */
  endOne(
    userId: number,
    handle: string,
    guard?: Guard,
    reason?: 'owner' | 'operator',
  ): Promise<OwnSession | null>
  /**
   * Ends all tokens and sessions of an account, except `keepSession`. The reason `administrator`
   * stands for a caller of the administration routes. False for an unknown account.
   */
  endAll(
    userId: number,
    reason: 'everywhere' | 'administrator',
    options: EndOptions,
  ): Promise<boolean>
  /** The number of live sessions. */
  count(): Promise<number>
  /** Ends the session of a cookie's value; returns the user's id, or null without a session. */
  end(secret: string): Promise<number | null>
  /** Writes the activity since the last flush; returns the number of active sessions. */
  flush(): Promise<number>
  /** Deletes up to `batchSize` ended sessions; returns the count. */
  purge(batchSize: number): Promise<number>
}

export interface Client {
  readonly address: string
  readonly userAgent: string
  /** The session cookie of the login request; that session ends. */
  readonly replaces: string | undefined
}

export interface NewSession {
  readonly secret: string
  readonly csrfToken: string
  readonly isKept: boolean
}

export interface LiveSession {
  readonly stored: StoredSession
  /** A role requires a second factor: the session is accepted only for the enrolment. */
  readonly needsEnrolment: boolean
  /** Epoch milliseconds, without further requests. */
  readonly expiresAt: number
}

export interface EndedSession {
  readonly ended: RefusalReason
}

export interface OwnSession {
  /** The digest of the cookie's value, never shown. */
  readonly id: string
  /** Names the session on the wire; neither resumes the session nor finds its row. */
  readonly handle: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly lastSeenAt: number
  readonly isKept: boolean
  readonly address: string
  readonly userAgent: string
}

type Times = Pick<OwnSession, 'createdAt' | 'lastSeenAt' | 'isKept'>

const secretBytes = 32
const csrfTokenBytes = 32 // spec 2.3
const secretFormat = /^[A-Za-z0-9_-]{43}$/
const maxUserAgentLength = 256
const maxKeptDays = 1_000_000 // the years of dates have four digits
const maxListed = 1000
const maxKnown = 10_000
const flushBatchSize = 200
const excessBatchSize = 500
// How long after its stored timeout a session may be live: activity may not be flushed yet.
const flushLagMs = 10_000

export function createSessions(
  deps: Pick<
    Needs,
    | 'accounts'
    | 'config'
    | 'db'
    | 'asyncCommitDb'
    | 'feed'
    | 'clock'
    | 'events'
    | 'random'
    | 'requirements'
  >,
): Sessions {
  const { accounts, config, db, asyncCommitDb, events, feed, clock, random, requirements } = deps
  const { maxPerAccount } = config.session
  const idleMs = config.session.idleSeconds * 1000
  const absoluteMs =
    config.session.absoluteSeconds === 0 ? Infinity : config.session.absoluteSeconds * 1000
  const { keptDays } = config.session
  const keptMs = keptDays === 0 ? null : Math.min(keptDays, maxKeptDays) * 86_400_000
  const { byId: lookUp } = sessionStore(db)
  const endOfSession = createEndReader({ db, clock })
  // The key is the cookie's value.
  const known = new KeptRows<StoredSession>(feed, subjectsOfSession)
  // Activity that is not flushed yet. A job flushes all sessions once a second: a commit per
  // request would cost more than the request.
  const seen = new Map<string, number>()
  // Times of the last flush, which may be later than the time in a kept row.
  const flushed = new BoundedMap<string, number>(maxKnown)
  // When the first flush since the last success began. Infinity after a success.
  let unflushedSince = Infinity

  return {
    async start(trx, { account, sessions: stored, amr, authTime, keeps }, client) {
      const { userId, username } = account
      const store = sessionStore(trx)
      const secret = randomText(random, secretBytes)
      const csrfToken = randomText(random, csrfTokenBytes)
      const id = digest(secret)
      const before =
        client.replaces === undefined
          ? null
          : await removeOne(trx, digest(client.replaces), 'replaced')
      const wasKept = keeps === 'as before' && before?.userId === userId && before.isKept
      const isKept = isKeptOf({ account, isKept: keeps === 'asked' || wasKept })
      await store.insert({
        id,
        userId,
        csrfToken,
        amr,
        authTime,
        createdAt: clock.now(),
        isKept,
        address: client.address,
        userAgent: client.userAgent.slice(0, maxUserAgentLength),
      })
      const login = { username, factors: amr, session: id }
      await events.emitInTransaction(trx, sessionCreated, { user_id: userId }, { login })
      // The count includes ended sessions; `endExcess` leaves them out.
      const mayExceed = maxPerAccount > 0 && stored >= maxPerAccount
      const count = mayExceed ? await endExcess(trx, userId, id) : 0
      if (count > 0) {
        await events.emitInTransaction(trx, sessionEnded, {
          user_id: userId,
          reason: 'limit',
          count,
        })
      }
      return { secret, csrfToken, isKept }
    },

    resume(secret) {
      if (!secretFormat.test(secret)) return malformed
      const session = find(secret)
      if (!(session instanceof Promise)) return live(session)
      return session.then((read) => (read ? live(read) : withoutRow(digest(secret))))
    },

    resumeStored: (session) => (isUnflushed() ? readAgain(session) : live(session)),

    async revalidate(trx, id) {
      const session = await sessionStore(trx).byId(id)
      const answer = session && (await live(session))
      return answer && 'ended' in answer ? null : answer
    },

    async judge(id, reader = db) {
      const session = await sessionStore(reader).byId(id)
      return session && judged(session)
    },

    stored: (id) => lookUp(id),

    judgeStored: judged,

    of: liveOf,

    async endOne(userId, handle, guard, reason = 'owner') {
      const session = (await liveOf(userId)).find((other) => other.handle === handle)
      if (!session) return null
      const remove = (trx: DatabaseOrTransaction) => removeOne(trx, session.id, reason)
      return (await transact(db, [], remove, guard)) === null ? null : session
    },

    endAll(userId, reason, options) {
      const also = (trx: DatabaseOrTransaction) =>
        events.emitInTransaction(trx, sessionEnded, { user_id: userId, reason })
      return accounts.endLogins(userId, { ...options, also })
    },

    count: () => sessionStore(db).count(endsNow(0)),

    async end(secret) {
      if (!secretFormat.test(secret)) return null
      return transact(db, [], async (trx) => {
        const removed = await removeOne(trx, digest(secret), 'logout')
        if (!removed) await confirmEarlierEnd(trx)
        return removed?.userId ?? null
      })
    },

    async flush() {
      const due = [...seen]
      unflushedSince = Math.min(unflushedSince, clock.now())
      for (let from = 0; from < due.length; from += flushBatchSize) {
        await setImmediate() // lets waiting requests run
        const batch = due.slice(from, from + flushBatchSize)
        await transact(db, [], async (trx) => {
          const store = sessionStore(trx)
          for (const [id, lastSeenAt] of batch) await store.touch(id, lastSeenAt)
        })
        // After the commit, and only sessions without newer activity.
        for (const [id, lastSeenAt] of batch) {
          flushed.set(id, lastSeenAt)
          if (seen.get(id) === lastSeenAt) seen.delete(id)
        }
      }
      unflushedSince = Infinity
      return due.length
    },

    purge: (batchSize) =>
      transact(asyncCommitDb, [], async (trx) => {
        const expired = await purgeSessions(trx, endsNow(flushLagMs), batchSize)
        for (const { userId: user_id, ...times } of expired) {
          await events.emitInTransaction(trx, sessionExpired, {
            user_id,
            ended_at: isoTime(endOf(times)),
          })
        }
        return expired.length
      }),
  }

  function endsNow(lagMs: number): Ends {
    const now = clock.now()
    return {
      seenBefore: now - idleMs - lagMs,
      createdBefore: absoluteMs === Infinity ? -1 : now - absoluteMs,
      keptBefore: keptMs === null ? null : now - keptMs,
    }
  }

  /** Roles of REQUIRE_SECOND_FACTOR have the usual limits, new ones of a kept session too. */
  function isKeptOf({ account, isKept }: Pick<StoredSession, 'account' | 'isKept'>): boolean {
    return isKept && keptMs !== null && !requirements.mustHaveFactor(account)
  }

  async function removeOne(
    trx: DatabaseOrTransaction,
    id: string,
    reason: 'owner' | 'operator' | 'logout' | 'replaced',
  ): Promise<Pick<StoredSession, 'userId' | 'isKept'> | null> {
    const removed = await sessionStore(trx).remove(id)
    if (removed) {
      const login = { session: id }
      const payload = { user_id: removed.userId, reason }
      await events.emitInTransaction(trx, sessionEnded, payload, { login })
    }
    return removed
  }

  function live(
    session: StoredSession,
  ): LiveSession | EndedSession | Promise<LiveSession | EndedSession> {
    const lastSeenAt = lastSeenOf(session)
    const { createdAt } = session
    if (clock.now() < endOf({ createdAt, lastSeenAt, isKept: isKeptOf(session) }))
      return resumed(session, lastSeenAt)
    return unlessSeenByOthers(session)
  }

  /** Another process may have written later activity of a session that seems to have ended. */
  async function unlessSeenByOthers(session: StoredSession): Promise<LiveSession | EndedSession> {
    const present = await lookUp(session.id)
    if (!present) return withoutRow(session.id)
    const lastSeenAt = lastSeenOf(present)
    return clock.now() < endOf({ ...present, lastSeenAt, isKept: isKeptOf(present) })
      ? resumed(present, lastSeenAt)
      : timedOut(present, lastSeenAt)
  }

  async function readAgain({ id }: StoredSession): Promise<LiveSession | EndedSession> {
    const present = await lookUp(id)
    return present ? live(present) : withoutRow(id)
  }

  /** Whether flushes have failed for so long that other processes may end sessions used here. */
  function isUnflushed(): boolean {
    return clock.now() >= unflushedSince + flushLagMs
  }

  function timedOut(session: StoredSession, lastSeenAt: number): EndedSession {
    const { userId, createdAt } = session
    const isKept = isKeptOf(session)
    const ended_at = endOf({ createdAt, lastSeenAt, isKept })
    return isKept || createdAt + absoluteMs <= lastSeenAt + idleMs
      ? {
          ended: {
            code: 'session_too_old',
            facts: { user_id: userId, created_at: createdAt, ended_at },
          },
        }
      : {
          ended: {
            code: 'session_idle',
            facts: { user_id: userId, last_seen_at: lastSeenAt, ended_at },
          },
        }
  }

  async function withoutRow(id: string): Promise<EndedSession> {
    const end = await endOfSession(id)
    return end ? { ended: { code: 'session_ended_with_logins', facts: end } } : unknown
  }

  function resumed(session: StoredSession, lastSeenAt: number): LiveSession | EndedSession {
    const now = clock.now()
    const live = met(session, now)
    if (!('ended' in live)) seen.set(session.id, Math.max(now, lastSeenAt))
    return live
  }

  /** Whether the account meets the requirements. */
  function met(session: StoredSession, lastSeenAt: number): LiveSession | EndedSession {
    const { account, amr, createdAt } = session
    const unmet = requirements.unmet('session', { account, amr, isRemembered: true })
    if (unmet?.cell === 'unauthenticated') {
      const facts = { user_id: session.userId }
      if (unmet.requirement === 'second_factor') {
        return { ended: { code: 'session_without_factor', facts } }
      }
      return { ended: { code: 'session_of_unusable_account', facts } }
    }
    const expiresAt = endOf({ createdAt, lastSeenAt, isKept: isKeptOf(session) })
    return { stored: session, expiresAt, needsEnrolment: unmet !== null }
  }

  /** Does not count as activity of the person. */
  function judged(session: StoredSession): LiveSession | null {
    const times = { ...session, lastSeenAt: lastSeenOf(session), isKept: isKeptOf(session) }
    const answer = clock.now() < endOf(times) ? met(session, times.lastSeenAt) : null
    return answer === null || 'ended' in answer || answer.needsEnrolment ? null : answer
  }

  async function liveOf(userId: number): Promise<OwnSession[]> {
    const now = clock.now()
    const rows = await sessionStore(db).of(userId, now - idleMs - flushLagMs, maxListed)
    return rows.flatMap(({ csrfToken: _, userId: __, amr: ___, ...row }) => {
      const session = { ...row, lastSeenAt: lastSeenOf(row), handle: handleOf(row.id) }
      return now < endOf(session) ? session : []
    })
  }

  /**
   * Ends the longest idle sessions above SESSIONS_PER_ACCOUNT; returns the count. Activity that
   * other processes have not flushed does not count. After the limit was lowered, each login ends a
   * batch.
   */
  async function endExcess(
    trx: DatabaseOrTransaction,
    userId: number,
    newest: string,
  ): Promise<number> {
    const store = sessionStore(trx)
    const now = clock.now()
    const others = (await store.idleLongest(userId, maxPerAccount + excessBatchSize))
      .map((session) => ({ ...session, lastSeenAt: lastSeenOf(session) }))
      .filter((session) => session.id !== newest && now < endOf(session))
      .sort((a, b) => b.lastSeenAt - a.lastSeenAt || b.createdAt - a.createdAt)
    const excess = others.slice(maxPerAccount - 1)
    await store.removeAll(excess.map(({ id }) => id))
    return excess.length
  }

  function lastSeenOf({ id, lastSeenAt }: Pick<StoredSession, 'id' | 'lastSeenAt'>): number {
    return Math.max(lastSeenAt, seen.get(id) ?? flushed.get(id) ?? lastSeenAt)
  }

  /** Epoch milliseconds, without further requests. */
  function endOf({ createdAt, lastSeenAt, isKept }: Times): number {
    if (isKept && keptMs !== null) return createdAt + keptMs
    return Math.min(lastSeenAt + idleMs, createdAt + absoluteMs)
  }

  function find(secret: string): StoredSession | Promise<StoredSession | null> {
    if (isUnflushed()) return lookUp(digest(secret))
    return known.get(secret) ?? known.read(secret, () => lookUp(digest(secret)))
  }
}

/** Changes of these subjects drop the kept row: see migrations/0042-nodes.ts. */
export function subjectsOfSession({ id, userId }: StoredSession): string[] {
  return [`session ${id}`, `user ${userId}`]
}

/**
 * When the user authenticated with all factors that the account has now, in epoch milliseconds;
 * `unknownAuthTime` for a session without the second factor, and if the provider did not say.
 */
export function authTimeOf({ account, amr, authTime, createdAt }: StoredSession): number {
  if (account.secondFactor && !amr.includes('mfa')) return unknownAuthTime
  if (authTime !== null) return authTime
  return amr.includes('fed') ? unknownAuthTime : createdAt
}

function handleOf(id: string): string {
  return digest(`session ${id}`)
}

const malformed: EndedSession = { ended: { code: 'session_malformed' } }
const unknown: EndedSession = { ended: { code: 'session_unknown' } }

/** Adds the second factor to a session whose user has just confirmed the factor. */
export async function addFactor(
  trx: DatabaseOrTransaction,
  id: string,
  amr: readonly string[],
): Promise<void> {
  await sessionStore(trx).addAmr(id, amr)
}

/**
 * Ends all sessions of an account but one, in the transaction of the change. The ends are kept for
 * a day, for the explanation of refusals; with `now` null (deleted account) they are not kept.
 */
export async function endSessionsOf(
  trx: DatabaseOrTransaction,
  { userId, exceptId, now }: { userId: number; exceptId: string | undefined; now: number | null },
): Promise<void> {
  if (now !== null) await sessionEnds(trx).note(userId, exceptId, now)
  await sessionStore(trx).removeOf(userId, exceptId)
}
