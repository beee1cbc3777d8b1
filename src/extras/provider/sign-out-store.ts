import { sql } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { durableQueue } from '../../core/queue/queue.ts'

const queue = durableQueue({
  table: 'provider_logins',
  key: 'sid',
  owner: 'locked_by',
  isOpen: sql`due_at is not null`,
  isLeased: sql`locked_by is not null`,
  dueAt: sql`due_at`,
  leasedUntil: sql`due_at`,
  order: sql`due_at`,
  waiting: (due_at) => ({ due_at, locked_by: null }),
  leased: (due_at) => ({ due_at }),
  ended: { due_at: null, locked_by: null },
  leaseMs: 30_000, // longer than an attempt
  maxDelayMs: 7_200_000,
  maxLeaseMs: 3_600_000,
})

/** Which application is signed in by which session; without a session: whom to tell of its end. */
export function loginStore(db: DatabaseOrTransaction) {
  return {
    ...queue(db),

    async note(login: { sid: string; client: string; sessionId: string; now: number }) {
      const { client, now: created_at, sessionId: session_id, sid } = login
      await db
        .insertInto('provider_logins')
        .values({ sid, client, session_id, created_at, attempts: 0 })
        .onConflict((conflict) => conflict.column('sid').doNothing())
        .execute()
    },

    /** Whatever ended a session: each login whose session is gone becomes due. Returns the count. */
    async findEnded(now: number, limit: number): Promise<number> {
      const ended = await db
        .selectFrom('provider_logins')
        .select('sid')
        .where('due_at', 'is', null)
        .where((eb) =>
          eb.not(
            eb.exists(
              eb
                .selectFrom('sessions')
                .select('sessions.id')
                .whereRef('sessions.id', '=', 'provider_logins.session_id'),
            ),
          ),
        )
        .limit(limit)
        .execute()
      if (ended.length === 0) return 0
      await db
        .updateTable('provider_logins')
        .set({ due_at: now })
        .where(
          'sid',
          'in',
          ended.map(({ sid }) => sid),
        )
        .where('due_at', 'is', null)
        .execute()
      return ended.length
    },

    async remove(sid: string): Promise<void> {
      await db.deleteFrom('provider_logins').where('sid', '=', sid).execute()
    },
  }
}
