import { sql } from 'kysely'
import type { DatabaseOrTransaction } from '../database/database.ts'

/** What the checks read of the tables of other rooms; nothing of it names a person. */
export function doctorStore(db: DatabaseOrTransaction) {
  return {
    /** The address that counted for a request that was refused; null if none is kept yet. */
    async refusedAddress(id: string): Promise<string | null> {
      const row = await db
        .selectFrom('refusals')
        .select('address')
        .where('id', '=', id)
        .executeTakeFirst()
      return row?.address ?? null
    },

    /** The clock of PostgreSQL, in epoch milliseconds. */
    async postgresNow(): Promise<number> {
      const { rows } = await sql<{ now: string }>`
        select (extract(epoch from clock_timestamp()) * 1000)::text as now`.execute(db)
      return Number(rows[0]?.now)
    },

    /** The settings of PostgreSQL without which a crash loses what was committed. */
    async postgresDurability(): Promise<{ fsync: string; full_page_writes: string }> {
      const { rows } = await sql<{ fsync: string; full_page_writes: string }>`
        select current_setting('fsync') as fsync,
          current_setting('full_page_writes') as full_page_writes`.execute(db)
      return rows[0] ?? { fsync: '', full_page_writes: '' }
    },

    /** The time of the newest checkpoint of the audit log; null before the first. */
    async lastCheckpoint(): Promise<{ at: number; records: number } | null> {
      const row = await db
        .selectFrom('audit_checkpoints')
        .select(['at', 'records'])
        .orderBy('number', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row ?? null
    },

    /** The newest record of the audit log. */
    async lastRecord(): Promise<{ at: number; number: number } | null> {
      const row = await db
        .selectFrom('audit_records')
        .select(['at', 'number'])
        .orderBy('number', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row ?? null
    },

    /** Of the mails that are due: how many, and since when the first one is. */
    async dueMails(now: number): Promise<{ count: number; since: number | null }> {
      const { count, since } = await db
        .selectFrom('mails')
        .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.min('due_at').as('since')])
        .where('state', '=', 'waiting')
        .where('due_at', '<=', now)
        .executeTakeFirstOrThrow()
      return { count: Number(count), since: since === null ? null : Number(since) }
    },

    /** The endpoints of webhooks that are to get events, and do not. */
    async failingEndpoints(): Promise<
      { id: string; state: string; failing_since: number | null; status: number | null }[]
    > {
      return await db
        .selectFrom('webhook_endpoints')
        .leftJoin('webhook_health', 'webhook_health.endpoint', 'webhook_endpoints.id')
        .select(['id', 'state', 'failing_since', 'status'])
        .where('state', '!=', 'disabled')
        .where((eb) => eb.or([eb('state', '=', 'failed'), eb('failing_since', 'is not', null)]))
        .orderBy('id')
        .limit(20)
        .execute()
    },

    /** The last run of each outcome of the backups that the service makes by itself. */
    async backupRuns(): Promise<{
      readonly done: number | null
      readonly failed: { readonly at: number; readonly detail: string | null } | null
    }> {
      const last = (state: 'done' | 'failed') =>
        db
          .selectFrom('backup_runs')
          .select(['finished_at', 'started_at', 'detail'])
          .where('state', '=', state)
          .orderBy('id', 'desc')
          .limit(1)
          .executeTakeFirst()
      const [done, failed] = [await last('done'), await last('failed')]
      return {
        done: done ? (done.finished_at ?? done.started_at) : null,
        failed: failed
          ? { at: failed.finished_at ?? failed.started_at, detail: failed.detail }
          : null,
      }
    },
  }
}
