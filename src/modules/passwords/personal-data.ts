import { isoTimeOrNull } from '../../core/lib/clock.ts'
import { type ExportSection, single } from '../../core/module/export-section.ts'

/** Never the password or its hash. */
export const sections: readonly ExportSection[] = [
  single({ name: 'password', tables: ['passwords'] }, async (db, userId) => {
    const row = await db
      .selectFrom('passwords')
      .select(['changed_at', 'must_change'])
      .where('account', '=', userId)
      .executeTakeFirst()
    if (!row) return null
    return { changed_at: isoTimeOrNull(row.changed_at), must_change: row.must_change === 1 }
  }),
]
