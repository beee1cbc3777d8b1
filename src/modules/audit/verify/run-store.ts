import type { Selectable } from 'kysely'
import type { DatabaseOrTransaction } from '../../../core/database/database.ts'
import type { Schema } from '../../../core/database/schema.ts'

export type VerificationRow = Selectable<Schema['audit_verifications']>

/** The claim of a process to a run: each claim begins at another time. */
export type Claim = Pick<VerificationRow, 'id' | 'started_at'>

/** The statements of the verifications that were asked for. */
export function verificationStore(db: DatabaseOrTransaction) {
  /** A run that still has its claim: another node takes it away from one that seems to be gone. */
  const running = ({ id, started_at }: Claim) =>
    db
      .updateTable('audit_verifications')
      .where('id', '=', id)
      .where('started_at', 'is not distinct from', started_at)
      .where('state', '=', 'running')
  const changed = async (query: { executeTakeFirst(): Promise<{ numUpdatedRows: bigint }> }) =>
    (await query.executeTakeFirst()).numUpdatedRows > 0n

  return {
    insert: (row: { readonly asked_at: number; readonly node: string }): Promise<VerificationRow> =>
      db
        .insertInto('audit_verifications')
        .values({ ...row, state: 'waiting' })
        .returningAll()
        .executeTakeFirstOrThrow(),

    /** Those that wait or run, the oldest first. */
    open: (): Promise<VerificationRow[]> =>
      db
        .selectFrom('audit_verifications')
        .selectAll()
        .where('state', 'in', ['waiting', 'running'])
        .orderBy('id')
        .execute(),

    /** The last one that has ended, whatever its result. */
    async last(): Promise<VerificationRow | null> {
      const row = await db
        .selectFrom('audit_verifications')
        .selectAll()
        .where('state', 'in', ['done', 'failed'])
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row ?? null
    },

    /** Claims one that waits; answers whether it did. */
    claim: (
      id: number,
      claim: Pick<VerificationRow, 'started_at' | 'node' | 'locked_until'>,
    ): Promise<boolean> =>
      changed(
        db
          .updateTable('audit_verifications')
          .set({ ...claim, state: 'running' })
          .where('id', '=', id)
          .where('state', '=', 'waiting'),
      ),

    /** Extends the claim, and notes how many records were verified. */
    progress: (run: Claim, records: number, until: number): Promise<boolean> =>
      changed(running(run).set({ records, locked_until: until })),

    done: (
      run: Claim,
      { result, records, now }: { readonly result: string; readonly records: number; now: number },
    ): Promise<boolean> =>
      changed(
        running(run).set({
          ...{ state: 'done', result, records, detail: null },
          ...{ finished_at: now, locked_until: 0 },
        }),
      ),

    fail: (run: Claim, detail: string, now: number): Promise<boolean> =>
      changed(running(run).set({ state: 'failed', detail, finished_at: now, locked_until: 0 })),

    /** Gives a run back, which another process begins anew. */
    release: (
      run: Claim,
      detail: Pick<VerificationRow, 'detail'> | null = null,
    ): Promise<boolean> =>
      changed(
        running(run).set({
          ...{ state: 'waiting', started_at: null, records: 0, locked_until: 0 },
          ...detail,
        }),
      ),

    /** Deletes ended ones from before a time, but not the last; answers how many. */
    async purge(until: number, batchSize: number): Promise<number> {
      const last = (await this.last())?.id ?? 0
      const { numDeletedRows } = await db
        .deleteFrom('audit_verifications')
        .where('id', 'in', (eb) =>
          eb
            .selectFrom('audit_verifications')
            .select('id')
            .where('id', '<', last)
            .where('asked_at', '<=', until)
            .where('state', 'in', ['done', 'failed'])
            .orderBy('id')
            .limit(batchSize),
        )
        .executeTakeFirst()
      return Number(numDeletedRows)
    },
  }
}
