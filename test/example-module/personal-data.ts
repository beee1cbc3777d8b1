import { type ExportSection, list } from '../../src/core/module/export-section.ts'
import { noteStore } from './store.ts'

/** The notes of a user; the keys are secrets, which `excluded` of their table leaves out. */
export const sections: readonly ExportSection[] = [
  list({ name: 'notes', tables: ['notes'] }, (db, userId) => noteStore(db).ofUser(userId)),
]
