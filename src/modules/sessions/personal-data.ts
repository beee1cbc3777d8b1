import { isoTime } from '../../core/lib/clock.ts'
import { type ExportSection, list } from '../../core/module/export-section.ts'

/** Includes sessions that have just timed out. */
export const sections: readonly ExportSection[] = [
  list({ name: 'sessions', tables: ['sessions'] }, async (db, userId) => {
    const rows = await db
      .selectFrom('sessions')
      .select(['created_at', 'last_seen_at', 'address', 'user_agent', 'amr', 'kept'])
      .where('user_id', '=', userId)
      .orderBy('created_at')
      .execute()
    return rows.map(({ amr, created_at, kept, last_seen_at, ...row }) => ({
      ...row,
      kept: kept === 1,
      factors: amr === '' ? [] : amr.split(' '),
      created_at: isoTime(created_at),
      last_seen_at: isoTime(last_seen_at),
    }))
  }),
]
