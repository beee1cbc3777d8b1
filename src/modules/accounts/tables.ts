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
  /** Consecutive, from all addresses; reset by a success and by a lockout. */
  failed_logins: Generated<number>
  /** Lockout; `locked` is the administrator's lock. */
  locked_until: number | null
  created_at: number
  import_id: Generated<number | null>
  import_line: Generated<number | null>
  /** As typed; `users.email` is unverified. */
  verified_email: Generated<string | null>
  /** Canonical form, unique. */
  verified_email_key: Generated<string | null>
  email_verified_at: Generated<number | null>
  /** When the mail server permanently rejected the address, and the response. */
  undeliverable_at: Generated<number | null>
  undeliverable_reason: Generated<string | null>
  /** Null: the language of the request. */
  language: Generated<string | null>
  /** 0: no login. */
  last_login_at: Generated<number>
  /** `active` is 0 until the requested erasure. */
  deletion_at: Generated<number | null>
  /** The administrator's `active` flag during a pending deletion; otherwise null. */
  active_kept: Generated<number | null>
  /** Null: none since recording began. */
  last_password_login_at: Generated<number | null>
  service: Generated<number>
}

/** SQLite full-text index, filled by triggers of `accounts`. */
interface AccountsSearchTable {
  rowid: number
  text: string
}

interface RoleAssignmentsTable {
  account: number
  role: string
}

/** A higher version ends older tokens. */
interface TokenVersionsTable {
  user_id: number
  access_version: number
  refresh_version: number
}

/** Names on import lines that created no account: see 0008-imports.ts. */
interface ImportNamesTable {
  import_id: number
  username: string
  line: number
  user_id: number | null
}
