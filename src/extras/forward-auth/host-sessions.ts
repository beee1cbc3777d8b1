import { digest, equalInConstantTime } from '../../core/crypto/digest.ts'
import { randomText } from '../../core/crypto/random.ts'
import { KeptRows } from '../../core/database/kept-rows.ts'
import { deleteExpired } from '../../core/database/purge.ts'
import { lockName, takeExclusiveLocks, transact } from '../../core/database/transactions.ts'
import type { RefusalReason } from '../../core/errors.ts'
import type { Needs } from '../../core/module/services.ts'
import {
  type EndedSession,
  type LiveSession,
  subjectsOfSession,
} from '../../modules/sessions/sessions.ts'
import { forwardSessionCreated } from './events.ts'
import { forwardStore, type HostSession, type StoredTicket } from './store.ts'

/**
 * Sessions at the hosts of applications. The session cookie never leaves the service's host; other
 * hosts get their own cookie, valid only for forward authentication there. A ticket in a redirect
 * hands the session over: once, within ten seconds, at one host, in one browser. docs/adr/0063
 */
export interface HostSessions {
  /** Records activity; rejects values of another origin. */
  resume(
    secret: string,
    origin: string,
  ): LiveSession | EndedSession | Promise<LiveSession | EndedSession>
  /** Null if the session has ended. */
  issueTicket(sessionId: string, to: HandedOver): Promise<string | null>
  /**
   * Consumes a ticket, even if rejected, and replaces the previous host session of the same
   * session.
   */
  redeem(ticket: unknown, at: Arrival): Promise<Redeemed | RefusedTicket>
  /** Returns the number of deleted expired tickets. */
  purge(batchSize: number): Promise<number>
}

export interface HandedOver {
  readonly origin: string
  /** Digest of the browser cookie. */
  readonly browser: string
  readonly returnTo: string
}

export interface Arrival {
  readonly origin: string
  readonly browser: string | undefined
}

export interface Redeemed {
  /** Session cookie value. */
  readonly secret: string
  readonly returnTo: string
}

export interface RefusedTicket {
  readonly refused: RefusalReason
  /** Absent if unknown. */
  readonly returnTo?: string
}

const ticketMs = 10_000
const secretBytes = 32
const secretFormat = /^[A-Za-z0-9_-]{43}$/
// A browser that restores its tabs requests many at once.
const maxTickets = 100
const maxHosts = 200

export function createHostSessions(
  deps: Pick<Needs, 'asyncCommitDb' | 'clock' | 'db' | 'events' | 'feed' | 'random' | 'sessions'>,
): HostSessions {
  const { asyncCommitDb, clock, db, events, feed, random, sessions } = deps
  const lookUp = forwardStore(db).byId
  // By cookie value.
  const known = new KeptRows<HostSession>(feed, ({ session }) => subjectsOfSession(session))

  return {
    resume(secret, origin) {
      if (!secretFormat.test(secret)) return malformed
      const found = known.get(secret)
      if (found) return at(origin, found)
      return known.read(secret, () => lookUp(digest(secret))).then((row) => at(origin, row))
    },

    issueTicket(sessionId, { origin, browser, returnTo }) {
      const ticket = randomText(random, secretBytes)
      return transact(asyncCommitDb, [], async (trx) => {
        if (!(await sessions.revalidate(trx, sessionId))) return null
        // Prevents a deadlock of requests that delete the same oldest tickets.
        await takeExclusiveLocks(trx, lockName.hostSessions(sessionId))
        const expiresAt = clock.now() + ticketMs
        const stored = { sessionId, origin, browser, returnTo, expiresAt }
        await forwardStore(trx).addTicket(digest(ticket), stored, maxTickets)
        return ticket
      })
    },

    async redeem(ticket, arrival) {
      if (typeof ticket !== 'string' || !secretFormat.test(ticket)) return unknownTicket
      const secret = randomText(random, secretBytes)
      const id = digest(ticket)
      return transact(db, [], async (trx) => {
        const store = forwardStore(trx)
        const sessionId = await store.sessionOfTicket(id)
        if (sessionId === null) return unknownTicket
        // Same lock order as the end of a session.
        const live = await sessions.revalidate(trx, sessionId)
        // Otherwise two tickets would create two sessions at one host.
        await takeExclusiveLocks(trx, lockName.hostSessions(sessionId))
        const taken = await store.takeTicket(id)
        if (!taken) return unknownTicket
        const { origin, returnTo } = taken
        const refused = refusalOf(taken, arrival)
        if (refused) return origin === arrival.origin ? { refused, returnTo } : { refused }
        if (!live) return { refused: { code: 'forward_ticket_session_ended' }, returnTo }
        const began = { sessionId, origin, createdAt: clock.now() }
        await store.replace(digest(secret), began, maxHosts)
        const { userId: user_id, username, amr: factors } = live.stored
        const login = { username, factors, session: sessionId }
        await events.emitInTransaction(trx, forwardSessionCreated, { user_id, origin }, { login })
        return { secret, returnTo }
      })
    },

    purge: (batchSize) =>
      deleteExpired(
        asyncCommitDb,
        { table: 'forward_tickets', key: 'id', column: 'expires_at', until: clock.now() },
        batchSize,
      ),
  }

  function at(origin: string, found: HostSession | null) {
    if (!found) return unknown
    return found.origin === origin ? sessions.resumeStored(found.session) : ofOtherHost
  }

  /** Null if valid. Expires after ten seconds. */
  function refusalOf(ticket: StoredTicket, { origin, browser }: Arrival): RefusalReason | null {
    if (clock.now() >= ticket.expiresAt) return { code: 'forward_ticket_late' }
    if (ticket.origin !== origin) {
      return { code: 'forward_ticket_other_host', facts: { of: ticket.origin, at: origin } }
    }
    const isSame = browser !== undefined && equalInConstantTime(digest(browser), ticket.browser)
    return isSame ? null : { code: 'forward_ticket_other_browser' }
  }
}

const malformed: EndedSession = { ended: { code: 'forward_session_malformed' } }
const unknown: EndedSession = { ended: { code: 'forward_session_unknown' } }
const ofOtherHost: EndedSession = { ended: { code: 'forward_session_other_host' } }
const unknownTicket: RefusedTicket = { refused: { code: 'forward_ticket_unknown' } }
