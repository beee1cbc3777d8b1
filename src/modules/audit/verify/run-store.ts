import type { Selectable } from 'kysely'
import type { DatabaseOrTransaction } from '../../../core/database/database.ts'
import type { Schema } from '../../../core/database/schema.ts'

export type VerificationRow = Selectable<Schema['audit_verifications']>

/** Keeps the last run; returns the number deleted. */
export async function purgeVerifications(
  db: DatabaseOrTransaction,
  until: number,
  batchSize: number,
): Promise<number> {
  const isEnded = ['done', 'failed'] as const
  const { numDeletedRows } = await db
    .deleteFrom('audit_verifications')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('audit_verifications')
        .select('id')
        .where('id', '<', (last) =>
          last
            .selectFrom('audit_verifications')
            .select((max) => max.fn.max('id').as('id'))
            .where('state', 'in', isEnded),
        )
        .where('asked_at', '<=', until)
        .where('state', 'in', isEnded)
        .orderBy('id')
        .limit(batchSize),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}
