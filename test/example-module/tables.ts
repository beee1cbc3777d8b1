import type { Generated } from 'kysely'
import type { Migration } from '../../src/core/database/migrations/statement.ts'
import type { ModuleTable } from '../../src/core/module/module.ts'

export const tables: readonly ModuleTable[] = [
  {
    name: 'notes',
    key: ['id'],
    givesIds: true,
    person: { column: 'owner_id', onDelete: 'delete' },
    namesPerson: { columns: ['text'], atErasure: 'goes with the row' },
  },
  {
    name: 'note_keys',
    key: ['id'],
    isLogin: true,
    person: { column: 'user_id', onDelete: 'delete', excluded: 'a key is a secret' },
    namesNone: ['id'],
  },
  {
    name: 'note_factors',
    key: ['id'],
    person: { column: 'user_id', onDelete: 'delete' },
    namesPerson: { columns: ['name'], atErasure: 'goes with the row' },
    namesNone: ['id', 'code'],
  },
  {
    name: 'note_badges',
    key: ['user_id'],
    isLogin: true,
    person: { column: 'user_id', onDelete: 'delete', excluded: 'a badge is a secret' },
    namesNone: ['words'],
  },
]

// A type, not an interface: `withTables` takes no other.
export type NoteTables = {
  notes: {
    id: Generated<number>
    owner_id: number
    text: string
    created_at: number
    locked: Generated<number>
  }
  note_keys: {
    /** Digest of the key. */
    id: string
    user_id: number
    created_at: number
  }
  note_factors: {
    id: string
    user_id: number
    name: string
    /** Digest. */
    code: string
    created_at: number
    used_at: Generated<number | null>
  }
  note_badges: {
    user_id: number
    /** Digest. */
    words: string
    created_at: number
  }
}

/** Append only, like the service's own migrations. */
export const migrations: readonly Migration[] = [
  [
    `create table notes (
    id integer primary key autoincrement,
    owner_id integer not null references users (id) on delete cascade,
    text text not null,
    created_at integer not null
  ) strict`,
    'create index notes_by_owner on notes (owner_id)',
    `create table note_keys (
    id text primary key,
    user_id integer not null references users (id) on delete cascade,
    created_at integer not null
  ) strict, without rowid`,
    `create table note_factors (
    id text primary key,
    user_id integer not null references users (id) on delete cascade,
    name text not null,
    code text not null,
    created_at integer not null,
    used_at integer
  ) strict, without rowid`,
  ],
  ['alter table notes add column locked integer not null default 0'],
  [
    `create table note_badges (
    user_id integer primary key references users (id) on delete cascade,
    words text not null,
    created_at integer not null
  ) strict`,
  ],
]
