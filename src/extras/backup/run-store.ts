import type { Selectable } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Schema } from '../../core/database/schema.ts'
import { lastRun } from '../../core/runs/runs.ts'

export type RunRow = Selectable<Schema['backup_runs']>

/** Successful runs, with or without file. */
export const good = ['done', 'removed'] as const

export function runStore(db: DatabaseOrTransaction) {
  return {
    count: async () =>
      Number(
        (
          await db
            .selectFrom('backup_runs')
            .select((eb) => eb.fn.countAll<number>().as('total'))
            .executeTakeFirstOrThrow()
        ).total,
      ),

    /** Newest first. */
    page: (offset: number, limit: number): Promise<RunRow[]> =>
      db
        .selectFrom('backup_runs')
        .selectAll()
        .orderBy('id', 'desc')
        .offset(offset)
        .limit(limit)
        .execute(),

    /** Failed runs since the last good run, newest first. */
    async record(): Promise<{ lastGood: RunRow | null; failed: RunRow[] }> {
      const lastGood = await lastRun<RunRow>(db, 'backup_runs', good)
      const failed = await db
        .selectFrom('backup_runs')
        .selectAll()
        .where('id', '>', lastGood?.id ?? 0)
        .where('state', '=', 'failed')
        .orderBy('id', 'desc')
        .execute()
      return { lastGood, failed }
    },

    async statesOf(files: readonly string[]): Promise<ReadonlyMap<string | null, string>> {
      if (files.length === 0) return new Map()
      const rows = await db
        .selectFrom('backup_runs')
        .select(['file', 'state'])
        .where('file', 'in', files)
        .execute()
      return new Map(rows.map(({ file, state }) => [file, state]))
    },

    /** Whether the run still owns this file. */
    async isDone({ id, started_at }: RunRow): Promise<boolean> {
      const row = await db
        .selectFrom('backup_runs')
        .select('id')
        .where('id', '=', id)
        .where('started_at', '=', started_at)
        .where('state', 'in', good)
        .executeTakeFirst()
      return row !== undefined
    },

    /** Backups beyond the newest `keep`, oldest first. */
    async surplus(keep: number): Promise<RunRow[]> {
      const rows = await db
        .selectFrom('backup_runs')
        .selectAll()
        .where('state', '=', 'done')
        .orderBy('id', 'desc')
        .offset(keep)
        .limit(1000)
        .execute()
      return rows.toReversed()
    },

    removed: (id: number, detail: string | null) =>
      db
        .updateTable('backup_runs')
        .set({ state: 'removed', detail })
        .where('id', '=', id)
        .where('state', '=', 'done')
        .execute(),

    /** Deletes older rows without a file; returns the count. */
    async purge(until: number, batchSize: number): Promise<number> {
      const { numDeletedRows } = await db
        .deleteFrom('backup_runs')
        .where('id', 'in', (eb) =>
          eb
            .selectFrom('backup_runs')
            .select('id')
            .where('started_at', '<=', until)
            .where('state', 'in', ['failed', 'removed'])
            .orderBy('started_at')
            .limit(batchSize),
        )
        .executeTakeFirst()
      return Number(numDeletedRows)
    },
  }
}
