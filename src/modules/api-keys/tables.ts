import type { Generated } from 'kysely'
import type { ModuleTable } from '../../core/module/module.ts'

export const tables: readonly ModuleTable[] = [
  {
    name: 'api_keys',
    key: ['id'],
    isLogin: true, // a backup may be older than the end of a key
    leftBehind: { only: ['kind', 'app_password'], notedIn: 'app_passwords_ended' },
    person: { column: 'user_id', onDelete: 'delete' },
    namesPerson: { columns: ['name'], atErasure: 'the row goes' },
    namesNone: ['id', 'digest', 'kind', 'scopes', 'roles'],
  },
  {
    name: 'app_passwords_ended',
    key: [],
    leftOut: 'it is about the restore that made this database',
    person: {
      column: 'user_id',
      onDelete: 'delete',
      excluded: 'that a restore has ended app passwords; it goes after 30 days',
    },
  },
]

declare module '../../core/database/schema.ts' {
  interface Schema {
    api_keys: ApiKeysTable
    app_passwords_ended: AppPasswordsEndedTable
  }
}

interface ApiKeysTable {
  id: string
  user_id: number
  /** Of the whole text of the key. */
  digest: string
  kind: 'key' | 'app_password'
  name: string
  /** Joined by spaces. */
  scopes: string
  roles: string
  /** Raised by a rotation, which changes the end of the key. */
  version: Generated<number>
  created_by: number | null
  /** Epoch milliseconds. */
  created_at: number
  expires_at: number
  /** When the creator was told of the end. */
  told_at: number | null
  /** To the minute. */
  last_used_at: number | null
}

/** Whose app passwords a restore has ended. */
interface AppPasswordsEndedTable {
  user_id: number
  /** Epoch milliseconds. */
  at: number
}
