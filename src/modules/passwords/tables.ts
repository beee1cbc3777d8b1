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

/** An account without a row has no password. */
interface PasswordsTable {
  account: number
  /** A PHC string (Argon2id, PBKDF2) or a bcrypt hash; null if a password must be set first. */
  hash: string | null
  /** When the password was set here; null if it was imported, or set before this was recorded. */
  changed_at: number | null
  /** 1 if the next login must set a new password. */
  must_change: Generated<number>
}
