import type { Database, DatabaseOrTransaction } from '../../core/database/database.ts'
import { deleteExpired } from '../../core/database/purge.ts'
import type { Clock } from '../../core/lib/clock.ts'

// As long as the refusals that the ends explain.
const keptMs = 86_400_000

export function sessionEnds(db: DatabaseOrTransaction) {
  return {
    /** Stores the ends of all sessions of an account but one. */
    async note(userId: number, exceptId: string | undefined, now: number): Promise<void> {
      await db
        .insertInto('session_ends')
        .columns(['id', 'user_id', 'ended_at'])
        .expression((eb) =>
          eb
            .selectFrom('sessions')
            .select(['id', 'user_id', eb.val(now).as('ended_at')])
            .where('user_id', '=', userId)
            .$if(exceptId !== undefined, (query) => query.where('id', '!=', exceptId ?? '')),
        )
        .execute()
    },

    async byId(id: string): Promise<{ user_id: number; ended_at: number } | undefined> {
      return db
        .selectFrom('session_ends')
        .select(['user_id', 'ended_at'])
        .where('id', '=', id)
        .executeTakeFirst()
    },
  }
}

const maxReadsPerSecond = 100

/**
 * Explains a missing session. A flood of made-up cookies must not cost a second read each: above a
 * limit per second the reason is unknown.
 */
export function createEndReader({
  db,
  clock,
}: {
  readonly db: Database
  readonly clock: Clock
}): (id: string) => Promise<{ user_id: number; ended_at: number } | undefined> {
  const ends = sessionEnds(db)
  let second = 0
  let reads = 0
  return async (id) => {
    const now = Math.floor(clock.now() / 1000)
    if (now !== second) reads = 0
    second = now
    reads += 1
    return reads > maxReadsPerSecond ? undefined : ends.byId(id)
  }
}

/** Deletes up to `batchSize` ends that are older than a day; returns the count. */
export function purgeSessionEnds(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  batchSize: number,
): Promise<number> {
  const until = clock.now() - keptMs
  return deleteExpired(
    db,
    { table: 'session_ends', key: 'id', column: 'ended_at', until },
    batchSize,
  )
}
