import { sql } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { readyAt } from '../mail/due.ts'

/** Times in epoch milliseconds. */
export interface BackupRuns {
  readonly made: {
    /** When the state began that it holds. */
    readonly at: number
    /** Whether its file is still kept. */
    readonly state: string
    readonly file: string | null
    /** The machine that made it. */
    readonly node: string
    /** The digest of the file when the backup was written. */
    readonly sha256: string | null
  } | null
  readonly failed: { readonly at: number; readonly detail: string | null } | null
}

/** What the checks read of the tables of other modules; nothing of it names a person. */
export function doctorStore(db: DatabaseOrTransaction) {
  return {
    async hasAccounts(): Promise<boolean> {
      const row = await db.selectFrom('accounts').select('user_id').limit(1).executeTakeFirst()
      return row !== undefined
    },

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
        .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.min(readyAt).as('since')])
        .where('state', '=', 'waiting')
        .where(readyAt, '<=', now)
        .executeTakeFirstOrThrow()
      return { count: Number(count), since: since === null ? null : Number(since) }
    },

    /** How many mails have expired unsent since a time, by message, the most first. */
    async expiredMails(since: number): Promise<{ message: string; count: number }[]> {
      const rows = await db
        .selectFrom('mails')
        .select((eb) => ['message', eb.fn.countAll<number>().as('count')])
        .where('finished_at', '>', since)
        .where('state', '=', 'expired')
        .groupBy('message')
        .orderBy('count', 'desc')
        .orderBy('message')
        .execute()
      return rows.map(({ message, count }) => ({ message, count: Number(count) }))
    },

    /** The endpoints of webhooks that are to get events, and do not. */
    async failingEndpoints(): Promise<
      { id: string; state: string; failing_since: number | null; status: number | null }[]
    > {
      return await db
        .selectFrom('webhook_endpoints')
        .leftJoin('webhook_health', 'webhook_health.endpoint', 'webhook_endpoints.id')
        .select(['id', 'state', 'failing_since', 'status'])
        .where('state', 'in', ['enabled', 'failed'])
        .where((eb) => eb.or([eb('state', '=', 'failed'), eb('failing_since', 'is not', null)]))
        .orderBy('id')
        .limit(20)
        .execute()
    },

    /** The last backup that the service has made by itself, and what has failed since. */
    async backupRuns(): Promise<BackupRuns> {
      const runs = db.selectFrom('backup_runs').orderBy('id', 'desc').limit(1)
      const made = await runs
        .select(['id', 'started_at', 'state', 'file', 'node', 'sha256'])
        .where('state', 'in', ['done', 'removed'])
        .executeTakeFirst()
      const failed = await runs
        .select(['finished_at', 'started_at', 'detail'])
        .where('state', '=', 'failed')
        .where('id', '>', made?.id ?? 0)
        .executeTakeFirst()
      return {
        made: made ? { ...made, at: made.started_at } : null,
        failed: failed
          ? { at: failed.finished_at ?? failed.started_at, detail: failed.detail }
          : null,
      }
    },

    /** When a turn of the master key was asked for that is neither done nor given up; null: none. */
    async unfinishedTurn(): Promise<number | null> {
      const row = await db
        .selectFrom('master_key_turns')
        .select('asked_at')
        .where('turned_at', 'is', null)
        .orderBy('asked_at')
        .limit(1)
        .executeTakeFirst()
      return row?.asked_at ?? null
    },

    /** When the first version of the schema was made: the age of the deployment. */
    async firstMigration(): Promise<number | null> {
      const { at } = await db
        .selectFrom('schema_version')
        .select((eb) => eb.fn.min('applied_at').as('at'))
        .executeTakeFirstOrThrow()
      return at === null ? null : Number(at)
    },
  }
}
