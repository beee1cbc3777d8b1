import { type ExportSection, single } from '../../core/module/export-section.ts'
import { afterwards, inTransaction, some } from '../../core/module/hooks.ts'
import { tracesOf } from '../../core/module/registry.ts'
import { hook, service } from '../../core/module/service.ts'
import { userStore } from './store.ts'
import { createUsers, type Users } from './users.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly users: Users
  }
}

export const services = [
  service({
    needs: ['modules'],
    makes: ['users'],
    hooks: ['isPrivileged', 'onUserRemoved', 'onUserChanged'],
    create: ({ isPrivileged, log, modules, onUserRemoved, onUserChanged, ...needs }) => ({
      users: createUsers({
        ...needs,
        hooks: {
          isPrivileged: some(isPrivileged),
          removing: inTransaction(onUserRemoved),
          traces: tracesOf(modules),
          changed: afterwards(onUserChanged, log),
        },
      }),
    }),
  }),
]

export const hooks = [hook('personSections', [], () => sections)]

const sections: readonly ExportSection[] = [
  single({ name: 'user', tables: ['users'] }, (db, userId) => userStore(db).byId(userId)),
]
