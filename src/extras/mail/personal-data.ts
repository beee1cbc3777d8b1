import { isoTime, isoTimeOrNull } from '../../core/lib/clock.ts'
import { type ExportSection, list } from '../../core/module/export-section.ts'
import type { Notices } from './notices.ts'

export function sectionsOf({
  notices,
}: {
  readonly notices: Pick<Notices, 'of'>
}): readonly ExportSection[] {
  return [
    list({ name: 'mails', tables: ['mails'] }, async (db, userId) => {
      const rows = await db
        .selectFrom('mails')
        .select(['message', 'state', 'response', 'created_at', 'finished_at'])
        .where('user_id', '=', userId)
        .orderBy('created_at')
        .execute()
      return rows.map((row) => ({
        message: row.message,
        state: row.state,
        response: row.response,
        created_at: isoTime(row.created_at),
        finished_at: isoTimeOrNull(row.finished_at),
      }))
    }),
    list({ name: 'notices', tables: ['notices'] }, async (_db, userId) =>
      (await notices.of(userId)).map(({ type, at, facts }) => ({
        type,
        at: isoTime(at),
        ...facts,
      })),
    ),
  ]
}
