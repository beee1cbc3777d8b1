import { sql } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { type Parameters, prepared } from '../../core/database/prepared.ts'
import { type StoredSession, toSession, withAccount } from '../../modules/sessions/sessions.ts'

export interface StoredTicket {
  readonly sessionId: string
  readonly origin: string
  /** Digest of the browser cookie. */
  readonly browser: string
  readonly returnTo: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

export interface HostSession {
  readonly origin: string
  readonly session: StoredSession
}

/** One statement: the lookup of every request with the cookie. */
const hostSession = prepared((db, { id }: Parameters<{ id: string }>) => {
  const ofHost = db.selectFrom('forward_sessions').where('forward_sessions.id', '=', id)
  return withAccount(db, ofHost.select('forward_sessions.session_id').$asScalar()).select(
    ofHost.select('forward_sessions.origin').as('origin'),
  )
})

const maxRemoved = 1000

export function forwardStore(db: DatabaseOrTransaction) {
  return {
    async byId(id: string): Promise<HostSession | null> {
      const row = await hostSession.first(db, { id })
      return row && row.origin !== null ? { origin: row.origin, session: toSession(row) } : null
    },

    /** Keeps only the session's newest `max` tickets. */
    async addTicket(id: string, ticket: StoredTicket, max: number): Promise<void> {
      const { sessionId: session_id, origin, browser, returnTo, expiresAt } = ticket
      await db
        .insertInto('forward_tickets')
        .values({ id, session_id, origin, browser, return_to: returnTo, expires_at: expiresAt })
        .execute()
      await keepNewest(db, { table: 'forward_tickets', by: 'expires_at', id, session_id, max })
    },

    async sessionOfTicket(id: string): Promise<string | null> {
      const row = await db
        .selectFrom('forward_tickets')
        .select('session_id')
        .where('id', '=', id)
        .executeTakeFirst()
      return row?.session_id ?? null
    },

    /** Null if already deleted. */
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

    /** Replaces the parent session's session at the host; keeps the parent's newest `max`. */
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
  readonly by: 'expires_at' | 'created_at'
  /** Just added; stays. */
  readonly id: string
  readonly session_id: string
  readonly max: number
}

async function keepNewest(
  db: DatabaseOrTransaction,
  { table, by, id, session_id, max }: Newest,
): Promise<void> {
  const older = sql`select id from ${sql.table(table)}
    where session_id = ${session_id} and id != ${id}
    order by ${sql.ref(by)} desc limit ${maxRemoved} offset ${max - 1}`
  await sql`delete from ${sql.table(table)} where id in (${older})`.execute(db)
}
