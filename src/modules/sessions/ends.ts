import type { Database, DatabaseOrTransaction } from '../../core/database/database.ts'
import { deleteExpired } from '../../core/database/purge.ts'
import type { Clock } from '../../core/lib/clock.ts'

// As long as the refusals that they explain.
const keptMs = 86_400_000

/** The ends of sessions together with all logins of their account, kept for a day. */
export function sessionEnds(db: DatabaseOrTransaction) {
  return {
    /** Notes the sessions of an account that are about to end, but for one. */
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
 * Finds why no session has an id. A flood of made-up cookies must not cost a second read each, so of
 * many in a second the others count as unknown.
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

/** Deletes up to `batchSize` of them that are older than a day; answers how many. */
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
