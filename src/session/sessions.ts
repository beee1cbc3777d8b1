import { setImmediate } from 'node:timers/promises'
import type { Accounts, HowToEnd } from '../accounts/accounts.ts'
import type { ProvenAccount } from '../authentication/completion.ts'
import type { Requirements } from '../authentication/requirements.ts'
import { BoundedMap } from '../bounded/bounded-map.ts'
import type { Config } from '../config/load.ts'
import type { ChangeFeed, Database, DatabaseOrTransaction } from '../database/database.ts'
import { type Guard, transact } from '../database/transactions.ts'
import type { Events } from '../events/events.ts'
import type { Clock } from '../kernel/clock.ts'
import { digest } from '../kernel/digest.ts'
import { type Random, randomText } from '../kernel/random.ts'
import { sessionCreated, sessionEnded } from './events.ts'
import { purgeSessions, type StoredSession, sessionLookUp, sessionStore } from './store.ts'

/**
 * Cookie sessions: made at login, ended by logout, by 30 minutes without a request, or by their
 * absolute limit. Spec 2.3, 3.1. The store knows the digest of the id only.
 */
export interface Sessions {
  /**
   * Starts a session in the transaction of a login. Ends the one whose cookie came with it, and those
   * that were idle longest where the account has too many.
   */
  start(trx: DatabaseOrTransaction, present: ProvenAccount, client: Client): Promise<NewSession>
  /** The session of a cookie's value, and one request more of activity; null where it has ended. */
  resume(secret: string): Promise<LiveSession | null>
  /**
   * The session of a request under way, as `db` has it now, and activity once more. Inside a
   * transaction it does not end before that does.
   */
  again(db: DatabaseOrTransaction, id: string): Promise<LiveSession | null>
  /** The live sessions of an account, the newest first, and at most the newest thousand. */
  of(userId: number): Promise<OwnSession[]>
  /** Ends one of those by its handle; null where there is no such session. */
  endOne(userId: number, handle: string, guard?: Guard): Promise<OwnSession | null>
  /**
   * Ends all of an account but the one that goes on, with all its tokens; false where it is gone.
   * `administrator`: another caller than the owner asks for it.
   */
  endAll(userId: number, reason: 'everywhere' | 'administrator', how: HowToEnd): Promise<boolean>
  /** How many sessions are live. */
  count(): Promise<number>
  /** Ends the session of a cookie's value; answers whose it was, or null where there is none. */
  end(secret: string): Promise<number | null>
  /** Writes down the activity of the last second; answers how many sessions had any. */
  flush(): Promise<number>
  /** Removes up to `most` ended sessions; answers how many. */
  purge(most: number): Promise<number>
}

export interface Client {
  readonly address: string
  readonly userAgent: string
  /** The cookie's value that came with the login. */
  readonly replaces: string | undefined
}

export interface NewSession {
  /** The cookie's value. */
  readonly secret: string
  readonly csrfToken: string
}

export interface LiveSession extends StoredSession {
  /** Only a route that enrols a second factor is there for it: a role asks for one since it began. */
  readonly needsEnrolment: boolean
  /** When it ends if nothing more is asked, in epoch milliseconds. */
  readonly expiresAt: number
}

/** A session as shown to its owner. */
export interface OwnSession {
  /** Digest of the cookie's value, as in a principal: not to be shown. */
  readonly id: string
  /** Names the session to people: nothing can be resumed with it, nor looked up in the database. */
  readonly handle: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly lastSeenAt: number
  readonly address: string
  readonly userAgent: string
}

export interface SessionsDeps {
  readonly accounts: Pick<Accounts, 'endLogins'>
  readonly config: Pick<Config, 'session'>
  readonly db: Database
  readonly feed: ChangeFeed
  readonly clock: Clock
  readonly events: Events
  readonly random: Random
  readonly requirements: Pick<Requirements, 'unmet'>
}

const secretBytes = 32
const csrfTokenBytes = 32 // spec 2.3
const secretFormat = /^[A-Za-z0-9_-]{43}$/
const maxUserAgentLength = 256
const maxListed = 1000
const maxKnown = 10_000
const flushedAtOnce = 200
const endedAtOnce = 500
// A session is looked for this long after its end: its last activity may not be written down yet.
const unwrittenMs = 10_000

export function createSessions(deps: SessionsDeps): Sessions {
  const { accounts, config, db, events, feed, clock, random, requirements } = deps
  const { maxPerAccount } = config.session
  const idleMs = config.session.idleSeconds * 1000
  const absoluteMs =
    config.session.absoluteSeconds === 0 ? Infinity : config.session.absoluteSeconds * 1000
  const lookUp = sessionLookUp(db)
  // Read once, and again as soon as anything at all in the database has changed.
  const known = new BoundedMap<string, StoredSession>(maxKnown)
  let knownVersion = feed.anyVersion()
  // Activity is written once a second for all sessions together, and read from here until then:
  // a commit for every request would cost more than the request.
  const seen = new Map<string, number>()

  return {
    async start(trx, { account: { userId }, sessions: stored, amr }, client) {
      const store = sessionStore(trx)
      const secret = randomText(random, secretBytes)
      const csrfToken = randomText(random, csrfTokenBytes)
      const id = digest(secret)
      if (client.replaces !== undefined) await removeOne(trx, digest(client.replaces), 'replaced')
      await store.insert({
        id,
        userId,
        csrfToken,
        amr,
        createdAt: clock.now(),
        address: client.address,
        userAgent: client.userAgent.slice(0, maxUserAgentLength),
      })
      await events.record(trx, sessionCreated, { user_id: userId })
      // With the new one; those that have ended and are not removed yet count until they are looked at.
      const mayExceed = maxPerAccount > 0 && stored + 1 > maxPerAccount
      const count = mayExceed ? await endExcess(trx, userId, id) : 0
      if (count > 0) {
        await events.record(trx, sessionEnded, { user_id: userId, reason: 'limit', count })
      }
      return { secret, csrfToken }
    },

    async resume(secret) {
      if (!secretFormat.test(secret)) return null
      return live(await find(digest(secret)))
    },

    again: async (trx, id) => live(await sessionStore(trx).kept(id)),

    of: liveOf,

    async endOne(userId, handle, guard) {
      const session = (await liveOf(userId)).find((other) => other.handle === handle)
      if (!session) return null
      const remove = (trx: DatabaseOrTransaction) => removeOne(trx, session.id, 'owner')
      return (await transact(db, [], remove, guard)) === null ? null : session
    },

    endAll(userId, reason, how) {
      const also = (trx: DatabaseOrTransaction) =>
        events.record(trx, sessionEnded, { user_id: userId, reason })
      return accounts.endLogins(userId, { ...how, also })
    },

    count: () => {
      const now = clock.now()
      return sessionStore(db).count(now - idleMs, absoluteMs === Infinity ? -1 : now - absoluteMs)
    },

    async end(secret) {
      if (!secretFormat.test(secret)) return null
      return transact(db, [], (trx) => removeOne(trx, digest(secret), 'logout'))
    },

    async flush() {
      const due = [...seen]
      for (let from = 0; from < due.length; from += flushedAtOnce) {
        if (from > 0) await setImmediate() // others have their turn
        const batch = due.slice(from, from + flushedAtOnce)
        await transact(db, [], async (trx) => {
          const store = sessionStore(trx)
          for (const [id, lastSeenAt] of batch) await store.touch(id, lastSeenAt)
        })
        // Only now, and not what was seen again meanwhile.
        for (const [id, lastSeenAt] of batch) if (seen.get(id) === lastSeenAt) seen.delete(id)
      }
      return due.length
    },

    purge: (most) => {
      const now = clock.now()
      const createdBefore = absoluteMs === Infinity ? 0 : now - absoluteMs
      return purgeSessions(db, { seenBefore: now - idleMs - unwrittenMs, createdBefore }, most)
    },
  }

  /** Answers whose it was; null where there is no such session. */
  async function removeOne(
    trx: DatabaseOrTransaction,
    id: string,
    reason: 'owner' | 'logout' | 'replaced',
  ): Promise<number | null> {
    const userId = await sessionStore(trx).remove(id)
    if (userId !== null) await events.record(trx, sessionEnded, { user_id: userId, reason })
    return userId
  }

  /** What a request makes of it: activity. Null where it has ended. */
  function live(session: StoredSession | null): LiveSession | null {
    if (!session) return null
    const unmet = requirements.unmet('session', { account: session.account })
    if (unmet?.cell === 'absent') return null
    const now = clock.now()
    const lastSeenAt = lastSeenOf(session)
    if (now >= endOf({ ...session, lastSeenAt })) return null
    seen.set(session.id, Math.max(now, lastSeenAt))
    return {
      ...session,
      lastSeenAt: now,
      expiresAt: endOf({ ...session, lastSeenAt: now }),
      needsEnrolment: unmet !== null,
    }
  }

  async function liveOf(userId: number): Promise<OwnSession[]> {
    const now = clock.now()
    const rows = await sessionStore(db).of(userId, now - idleMs - unwrittenMs, maxListed)
    return rows.flatMap(({ csrfToken: _, userId: __, amr: ___, ...row }) => {
      const session = { ...row, lastSeenAt: lastSeenOf(row), handle: handleOf(row.id) }
      return now < endOf(session) ? session : []
    })
  }

  /**
   * Ends the sessions of an account that are more than it may have, those idle longest first;
   * answers how many. Activity of this process counts up to now, that of others as of the last
   * second. Where the limit is younger than the sessions, some more end with each login.
   */
  async function endExcess(
    trx: DatabaseOrTransaction,
    userId: number,
    newest: string,
  ): Promise<number> {
    const store = sessionStore(trx)
    const now = clock.now()
    const others = (await store.idleLongest(userId, maxPerAccount + endedAtOnce))
      .map((session) => ({ ...session, lastSeenAt: lastSeenOf(session) }))
      .filter((session) => session.id !== newest && now < endOf(session))
      .sort((a, b) => b.lastSeenAt - a.lastSeenAt || b.createdAt - a.createdAt)
    const excess = others.slice(maxPerAccount - 1)
    await store.removeAll(excess.map(({ id }) => id))
    return excess.length
  }

  function lastSeenOf({ id, lastSeenAt }: Pick<StoredSession, 'id' | 'lastSeenAt'>): number {
    return Math.max(lastSeenAt, seen.get(id) ?? 0)
  }

  /** When it ends if nothing more is asked. */
  function endOf({ createdAt, lastSeenAt }: Pick<OwnSession, 'createdAt' | 'lastSeenAt'>): number {
    return Math.min(lastSeenAt + idleMs, createdAt + absoluteMs)
  }

  async function find(id: string): Promise<StoredSession | null> {
    const version = feed.anyVersion()
    if (version !== knownVersion) {
      known.clear()
      knownVersion = version
    }
    const kept = known.get(id)
    if (kept) return kept
    const session = await lookUp(id)
    if (session && feed.anyVersion() === version) known.set(id, session)
    return session
  }
}

function handleOf(id: string): string {
  return digest(`session ${id}`)
}

/** Ends the sessions of an account, all but one, in the transaction of what caused it. */
export async function endSessionsOf(
  trx: DatabaseOrTransaction,
  userId: number,
  exceptId?: string,
): Promise<void> {
  await sessionStore(trx).removeOf(userId, exceptId)
}
