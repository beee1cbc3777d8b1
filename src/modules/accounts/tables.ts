import type { Generated } from 'kysely'
import type { ModuleTable } from '../../core/module/module.ts'

export const tables: readonly ModuleTable[] = [
  {
    name: 'accounts',
    key: ['user_id'],
    person: { column: 'user_id', onDelete: 'delete' },
    blank: ['import_id', 'import_line'],
    present: 'isPresentAccount',
    namesPerson: {
      columns: ['username', 'verified_email', 'verified_email_key', 'undeliverable_reason'],
      atErasure: 'the row goes',
    },
    namesNone: ['language'],
  },
  {
    name: 'accounts_search',
    key: [],
    leftOut: 'an index of SQLite, made again by its triggers as the accounts come in',
    namesPerson: {
      columns: ['text'],
      atErasure: 'the entry goes with the row; `compact` merges the index',
    },
  },
  {
    name: 'role_assignments',
    key: ['account', 'role'],
    person: { column: 'account', onDelete: 'delete' },
    present: 'isOfPresentAccount',
    namesNone: ['role'],
  },
  {
    name: 'token_versions',
    key: ['user_id'],
    person: { column: 'user_id', onDelete: 'delete', excluded: 'two counters' },
    present: 'isOfPresentUser',
  },
  {
    name: 'import_names',
    key: [],
    leftOut: 'of those imports',
    namesPerson: { columns: ['username'], atErasure: 'goes with its import, within minutes' },
    person: {
      column: 'user_id',
      onDelete: { kept: 'they go with their import, within minutes' },
      excluded: 'a name of an import that is under way, for minutes',
    },
  },
]

declare module '../../core/database/schema.ts' {
  interface Schema {
    accounts: AccountsTable
    accounts_search: AccountsSearchTable
    role_assignments: RoleAssignmentsTable
    token_versions: TokenVersionsTable
    import_names: ImportNamesTable
  }
}

interface AccountsTable {
  user_id: number
  username: string
  locked: number
  active: number
  second_factor: Generated<number>
  /** Consecutive ones over all addresses; 0 after a success, and after a lockout began. */
  failed_logins: Generated<number>
  /** The end of a lockout; `locked` is the administrator's lock. */
  locked_until: number | null
  created_at: number
  import_id: Generated<number | null>
  import_line: Generated<number | null>
  /** The verified address as it was typed; `users.email` is another one, which proves nothing. */
  verified_email: Generated<string | null>
  /** Its canonical form, unique among accounts. */
  verified_email_key: Generated<string | null>
  email_verified_at: Generated<number | null>
  /** When the mail server refused the address for good, and its words. */
  undeliverable_at: Generated<number | null>
  undeliverable_reason: Generated<string | null>
  /** The language of pages and mail; null: the language of the request. */
  language: Generated<string | null>
  /** 0 before the first login. */
  last_login_at: Generated<number>
  /** When the account is erased, because its owner asked for that; `active` is 0 until then. */
  deletion_at: Generated<number | null>
  /** The flag `active` of such an account as administrators set it; null for all others. */
  active_kept: Generated<number | null>
  /** The last login with the password; null: none since this was recorded. */
  last_password_login_at: Generated<number | null>
}

/** A full-text index of SQLite, which triggers of `accounts` fill. */
interface AccountsSearchTable {
  rowid: number
  text: string
}

/** The names of the roles of accounts. */
interface RoleAssignmentsTable {
  account: number
  role: string
}

/** Versions of a user's tokens; a higher version ends the tokens that were issued before. */
interface TokenVersionsTable {
  user_id: number
  access_version: number
  refresh_version: number
}

/** The names on lines of an import that created no account: see 0008-imports.ts. */
interface ImportNamesTable {
  import_id: number
  username: string
  line: number
  user_id: number | null
}
