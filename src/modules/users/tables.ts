import type { Generated } from 'kysely'
import type { ModuleTable } from '../../core/module/module.ts'

export const tables: readonly ModuleTable[] = [
  {
    name: 'users',
    key: ['id'],
    givesIds: true,
    blank: ['import_id'],
    present: 'isPresentUser',
    namesPerson: {
      columns: ['name', 'email', 'name_key', 'email_key'],
      atErasure: 'the row goes; with very many posts it is emptied, and goes when they are cleared',
    },
  },
  {
    name: 'leaving_users',
    key: [],
    leftOut: 'deleted users are not copied',
    person: {
      column: 'user_id',
      onDelete: 'delete',
      excluded: 'there is none before the deletion',
    },
  },
  {
    name: 'users_search',
    key: [],
    leftOut: 'an index of SQLite, made again by its triggers as the users come in',
    namesPerson: {
      columns: ['text'],
      atErasure: 'the entry goes with the row; `compact` merges the index',
    },
  },
]

declare module '../../core/database/schema.ts' {
  interface Schema {
    users: UsersTable
    leaving_users: PendingDeletionsTable
    users_search: UsersSearchTable
  }
}

interface UsersTable {
  id: Generated<number>
  name: string
  email: string
  /** Case-folded, for equal search and sort in every database. */
  name_key: string
  email_key: string
  /** The staging import; the row is invisible until the import ends: pending-import.ts. */
  import_id: Generated<number | null>
}

/** Deleted users being cleared in steps: pending-deletion.ts. */
interface PendingDeletionsTable {
  user_id: number
  /** The hiding import. */
  import_id: number
}

/** SQLite full-text index, filled by triggers. */
interface UsersSearchTable {
  rowid: number
  text: string
}
