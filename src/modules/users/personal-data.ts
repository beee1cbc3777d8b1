import { type ExportSection, single } from '../../core/module/export-section.ts'
import { userStore } from './store.ts'

/** The user. */
export const sections: readonly ExportSection[] = [
  single({ name: 'user', tables: ['users'] }, (db, userId) => userStore(db).byId(userId)),
]
