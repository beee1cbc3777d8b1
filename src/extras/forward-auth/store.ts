import { sql } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { type Parameters, prepared } from '../../core/database/prepared.ts'
import { type StoredSession, toSession, withAccount } from '../../modules/sessions/sessions.ts'

/** A ticket as it is stored. */
export interface StoredTicket {
  readonly sessionId: string
  readonly origin: string
  /** Digest of the cookie of the browser at that host. */
  readonly browser: string
  readonly returnTo: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

/** A session at a host of an application, with the session that it is of. */
export interface HostSession {
  readonly origin: string
  readonly session: StoredSession
}

/** Both in one statement: on PostgreSQL it is the look-up of every request with the cookie. */
const hostSession = prepared((db, { id }: Parameters<{ id: string }>) => {
  const ofHost = db.selectFrom('forward_sessions').where('forward_sessions.id', '=', id)
  return withAccount(db, ofHost.select('forward_sessions.session_id').$asScalar()).select(
    ofHost.select('forward_sessions.origin').as('origin'),
  )
})

// More than one read of old rows would ever find: it bounds what a statement deletes.
const maxRemoved = 1000

/** The tables of the hosts of applications: tickets, and the sessions that they begin. */
export function forwardStore(db: DatabaseOrTransaction) {
  return {
    async byId(id: string): Promise<HostSession | null> {
      const row = await hostSession.first(db, { id })
      return row && row.origin !== null ? { origin: row.origin, session: toSession(row) } : null
    },

    /** Adds a ticket, and removes all but the newest `max` of its session. */
    async addTicket(id: string, ticket: StoredTicket, max: number): Promise<void> {
      const { sessionId: session_id, origin, browser, returnTo, expiresAt } = ticket
      await db
        .insertInto('forward_tickets')
        .values({ id, session_id, origin, browser, return_to: returnTo, expires_at: expiresAt })
        .execute()
      await keepNewest(db, { table: 'forward_tickets', by: 'expires_at', id, session_id, max })
    },

    /** The session of a ticket; null if there is no such ticket. */
    async sessionOfTicket(id: string): Promise<string | null> {
      const row = await db
        .selectFrom('forward_tickets')
        .select('session_id')
        .where('id', '=', id)
        .executeTakeFirst()
      return row?.session_id ?? null
    },

    /** Deletes a ticket; answers what it was, null if another request has deleted it. */
    async takeTicket(id: string): Promise<StoredTicket | null> {
      const row = await db
        .deleteFrom('forward_tickets')
        .where('id', '=', id)
        .returning(['session_id', 'origin', 'browser', 'return_to', 'expires_at'])
        .executeTakeFirst()
      if (!row) return null
      const { session_id: sessionId, return_to: returnTo, expires_at: expiresAt } = row
      return { sessionId, origin: row.origin, browser: row.browser, returnTo, expiresAt }
    },

    /**
     * Adds a session at a host in the place of the one that its session has there, and removes all but
     * the newest `max` of that session.
     */
    async replace(
      id: string,
      { sessionId, origin, createdAt }: { sessionId: string; origin: string; createdAt: number },
      max: number,
    ): Promise<void> {
      await db
        .deleteFrom('forward_sessions')
        .where('session_id', '=', sessionId)
        .where('origin', '=', origin)
        .execute()
      await db
        .insertInto('forward_sessions')
        .values({ id, session_id: sessionId, origin, created_at: createdAt })
        .execute()
      await keepNewest(db, {
        table: 'forward_sessions',
        by: 'created_at',
        id,
        session_id: sessionId,
        max,
      })
    },
  }
}

interface Newest {
  readonly table: 'forward_tickets' | 'forward_sessions'
  /** The time by which rows are newer than others. */
  readonly by: 'expires_at' | 'created_at'
  /** The row that was just added, which stays. */
  readonly id: string
  readonly session_id: string
  readonly max: number
}

/** Deletes all but the newest `max` rows of a session. */
async function keepNewest(
  db: DatabaseOrTransaction,
  { table, by, id, session_id, max }: Newest,
): Promise<void> {
  const older = sql`select id from ${sql.table(table)}
    where session_id = ${session_id} and id != ${id}
    order by ${sql.ref(by)} desc limit ${maxRemoved} offset ${max - 1}`
  await sql`delete from ${sql.table(table)} where id in (${older})`.execute(db)
}
