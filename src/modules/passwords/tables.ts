import type { Generated } from 'kysely'
import type { ModuleTable } from '../../core/module/module.ts'

export const tables: readonly ModuleTable[] = [
  {
    name: 'passwords',
    key: ['account'],
    refersTo: 'accounts',
    person: { column: 'account', onDelete: 'delete' },
    present: 'isOfPresentAccount',
    namesNone: ['hash'],
  },
]

declare module '../../core/database/schema.ts' {
  interface Schema {
    passwords: PasswordsTable
  }
}

/** No row: no password. */
interface PasswordsTable {
  account: number
  /** PHC string (Argon2id, PBKDF2) or bcrypt; null if a password must be set first. */
  hash: string | null
  /** Null if imported or never recorded. */
  changed_at: number | null
  /** 1: forced at the next login. */
  must_change: Generated<number>
}
