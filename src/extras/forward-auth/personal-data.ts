import { isoTime } from '../../core/lib/clock.ts'
import { type ExportSection, list } from '../../core/module/export-section.ts'

export const sections: readonly ExportSection[] = [
  list({ name: 'application_sessions', tables: ['forward_sessions'] }, async (db, userId) => {
    const rows = await db
      .selectFrom('forward_sessions')
      .innerJoin('sessions', 'sessions.id', 'forward_sessions.session_id')
      .select(['forward_sessions.origin', 'forward_sessions.created_at'])
      .where('sessions.user_id', '=', userId)
      .orderBy('forward_sessions.created_at')
      .execute()
    return rows.map(({ origin, created_at }) => ({ origin, created_at: isoTime(created_at) }))
  }),
]
