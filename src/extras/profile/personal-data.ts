import { type ExportSection, list } from '../../core/module/export-section.ts'
import { profileStore } from './store.ts'

/** Includes values of fields that the file no longer has. */
export const sections: readonly ExportSection[] = [
  list({ name: 'profile', tables: ['profile_values'] }, async (db, userId) =>
    (await profileStore(db).of([userId])).map(({ field, value }) => ({ field, value })),
  ),
]
