import { isoTime, isoTimeOrNull } from '../../core/lib/clock.ts'
import { type ExportSection, list } from '../../core/module/export-section.ts'

export const sections: readonly ExportSection[] = [
  list({ name: 'confirmations', tables: ['confirmations'] }, async (db, userId) => {
    const rows = await db
      .selectFrom('confirmations')
      .select(['purpose', 'created_at', 'expires_at', 'used_at'])
      .where('user_id', '=', userId)
      .orderBy('created_at')
      .execute()
    return rows.map((row) => ({
      purpose: row.purpose,
      created_at: isoTime(row.created_at),
      expires_at: isoTime(row.expires_at),
      used_at: isoTimeOrNull(row.used_at),
    }))
  }),
]
