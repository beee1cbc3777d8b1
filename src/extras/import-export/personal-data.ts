import { type ExportSection, list } from '../../core/module/export-section.ts'

export const sections: readonly ExportSection[] = [
  list({ name: 'imported_ids', tables: ['imported_ids'] }, (db, userId) =>
    db
      .selectFrom('imported_ids')
      .select(['source', 'external_id'])
      .where('user_id', '=', userId)
      .orderBy('source')
      .orderBy('external_id')
      .execute(),
  ),
]
