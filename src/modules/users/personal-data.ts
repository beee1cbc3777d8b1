import { type ExportSection, single } from '../../core/module/export-section.ts'
import { userStore } from './store.ts'

export const sections: readonly ExportSection[] = [
  single({ name: 'user', tables: ['users'] }, (db, userId) => userStore(db).byId(userId)),
]
