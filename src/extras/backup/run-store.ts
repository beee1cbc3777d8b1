import type { Selectable } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { databaseTime } from '../../core/database/database-time.ts'
import type { Schema } from '../../core/database/schema.ts'

export type RunRow = Selectable<Schema['backup_runs']>

/** What a run knows of its file. */
export type MadeFile = Pick<RunRow, 'file' | 'bytes' | 'sha256'>

/** The claim of a process to a run: each claim begins at another time. */
export type Claim = Pick<RunRow, 'id' | 'started_at'>

/** The statements of the runs of backups. */
export function runStore(db: DatabaseOrTransaction) {
  /** A run that still has its claim: another node takes it away from one that seems to be gone. */
  const running = ({ id, started_at }: Claim) =>
    db
      .updateTable('backup_runs')
      .where('id', '=', id)
      .where('started_at', '=', started_at)
      .where('state', '=', 'running')
  const changed = async (query: { executeTakeFirst(): Promise<{ numUpdatedRows: bigint }> }) =>
    (await query.executeTakeFirst()).numUpdatedRows > 0n

  return {
    now: (clock: { now(): number }): Promise<number> => databaseTime(db, clock),

    count: async () =>
      Number(
        (
          await db
            .selectFrom('backup_runs')
            .select((eb) => eb.fn.countAll<number>().as('total'))
            .executeTakeFirstOrThrow()
        ).total,
      ),

    /** The newest first. */
    page: (offset: number, limit: number): Promise<RunRow[]> =>
      db
        .selectFrom('backup_runs')
        .selectAll()
        .orderBy('id', 'desc')
        .offset(offset)
        .limit(limit)
        .execute(),

    /** What decides when the next one is due. */
    async record() {
      const lastGood = await this.lastGood()
      return { lastGood, failed: await this.failedSince(lastGood?.id ?? 0) }
    },

    /** The last one that was made, whether its file is still kept or not. */
    async lastGood(): Promise<RunRow | null> {
      const row = await db
        .selectFrom('backup_runs')
        .selectAll()
        .where('state', 'in', ['done', 'removed'])
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row ?? null
    },

    /** Those that failed since a run, the newest first. */
    failedSince: (id: number): Promise<RunRow[]> =>
      db
        .selectFrom('backup_runs')
        .selectAll()
        .where('id', '>', id)
        .where('state', '=', 'failed')
        .orderBy('id', 'desc')
        .execute(),

    inState: (state: 'waiting' | 'running'): Promise<RunRow[]> =>
      db.selectFrom('backup_runs').selectAll().where('state', '=', state).orderBy('id').execute(),

    /** The names among these that a run is writing. */
    async writing(files: readonly string[]): Promise<ReadonlySet<string | null>> {
      if (files.length === 0) return new Set()
      const rows = await db
        .selectFrom('backup_runs')
        .select('file')
        .where('file', 'in', files)
        .where('state', '=', 'running')
        .execute()
      return new Set(rows.map(({ file }) => file))
    },

    /** The names among these that any run has had. */
    async known(files: readonly string[]): Promise<ReadonlySet<string | null>> {
      if (files.length === 0) return new Set()
      const rows = await db
        .selectFrom('backup_runs')
        .select('file')
        .where('file', 'in', files)
        .execute()
      return new Set(rows.map(({ file }) => file))
    },

    insert: (row: Pick<RunRow, 'started_at' | 'node' | 'state' | 'locked_until' | 'file'>) =>
      db.insertInto('backup_runs').values(row).returningAll().executeTakeFirstOrThrow(),

    /** Claims a run that waits; answers whether it did. */
    claim: (
      id: number,
      claim: Pick<RunRow, 'started_at' | 'node' | 'locked_until' | 'file'>,
    ): Promise<boolean> =>
      changed(
        db
          .updateTable('backup_runs')
          .set({ ...claim, state: 'running' })
          .where('id', '=', id)
          .where('state', '=', 'waiting'),
      ),

    extend: (run: Claim, until: number): Promise<boolean> =>
      changed(running(run).set({ locked_until: until })),

    /** Notes what was read back, before the file gets its name. */
    verified: (run: Claim, made: Omit<MadeFile, 'file'>, until: number): Promise<boolean> =>
      changed(running(run).set({ ...made, locked_until: until })),

    /** Whether the run still has the file of this claim. */
    async isDone({ id, started_at }: Claim): Promise<boolean> {
      const row = await db
        .selectFrom('backup_runs')
        .select('id')
        .where('id', '=', id)
        .where('started_at', '=', started_at)
        .where('state', 'in', ['done', 'removed'])
        .executeTakeFirst()
      return row !== undefined
    },

    done: (run: Claim, now: number): Promise<boolean> =>
      changed(running(run).set({ state: 'done', detail: null, finished_at: now, locked_until: 0 })),

    fail: (run: Claim, detail: string, now: number): Promise<boolean> =>
      changed(
        running(run).set({
          ...{ state: 'failed', detail, finished_at: now, locked_until: 0 },
          ...{ file: null, bytes: null, sha256: null },
        }),
      ),

    /** Gives a run back, which another process makes from the beginning. */
    release: (run: Claim, detail: Pick<RunRow, 'detail'> | null = null): Promise<boolean> =>
      changed(
        running(run).set({
          ...{ state: 'waiting', locked_until: 0, file: null, bytes: null, sha256: null },
          ...detail,
        }),
      ),

    /** Backups beyond the newest `keep`, the oldest first. */
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

    removed: (id: number, detail: string | null): Promise<boolean> =>
      changed(
        db
          .updateTable('backup_runs')
          .set({ state: 'removed', detail })
          .where('id', '=', id)
          .where('state', '=', 'done'),
      ),

    /** Deletes rows without a file that began before a time; answers how many. */
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
