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
  /** Case-folded copies, by which every database searches and sorts alike. */
  name_key: string
  email_key: string
  /** The import that staged the row, which is invisible until that is done: see pending-import.ts. */
  import_id: Generated<number | null>
}

/** Deleted users whose rows are cleared in steps: see pending-deletion.ts. */
interface PendingDeletionsTable {
  user_id: number
  /** The import that hides the user's row. */
  import_id: number
}

/** A full-text index of SQLite, which triggers of `users` fill. */
interface UsersSearchTable {
  rowid: number
  text: string
}
