import { isoTime } from '../../core/lib/clock.ts'
import { batches, type ExportSection, sectionBatch } from '../../core/module/export-section.ts'

export const sections: readonly ExportSection[] = [
  batches(
    { name: 'refusals', tables: ['refusals'] },
    async (db, userId, after?: { id: string }) => {
      const rows = await db
        .selectFrom('refusals')
        .select(['id', 'at', 'status', 'error', 'method', 'route', 'code', 'scheme', 'address'])
        .where('subject', '=', String(userId))
        .where('id', '>', after?.id ?? '')
        .orderBy('id')
        .limit(sectionBatch)
        .execute()
      return rows.map(({ at, ...row }) => ({ ...row, at: isoTime(at) }))
    },
  ),
]
