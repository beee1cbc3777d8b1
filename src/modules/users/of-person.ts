import { type PersonSection, single } from '../../core/module/person.ts'
import { userStore } from './store.ts'

/** The user. */
export const sections: readonly PersonSection[] = [
  single({ name: 'user', tables: ['users'] }, (db, userId) => userStore(db).byId(userId)),
]
