import { listedRows } from './list-changes.ts'
import type { Migration } from './statement.ts'

/** Row counts per block, so that deep pages cost about the same. docs/adr/0048 */
export const statements: Migration = [
  // `key` and `row_id` are the beginning of the block.
  `create table list_blocks (
    id integer primary key autoincrement,
    list text not null,
    key text not null,
    row_id integer not null,
    total integer not null
  ) strict`,
  'create index list_blocks_in_order on list_blocks (list, key, row_id, total)',
  // Changes not yet counted in blocks.
  `create table list_changes (
    id integer primary key autoincrement,
    list text not null,
    row_id integer not null,
    name_key text,
    email_key text,
    change integer not null,
    taken integer not null default 0 check (taken in (0, 1))
  ) strict`,
  'create index list_changes_taken on list_changes (list) where taken = 1',

  // Deleted users, hidden until their many references are cleared: pending-deletion.ts.
  `create table leaving_users (
    user_id integer primary key references users (id) on delete cascade,
    import_id integer not null
  ) strict`,

  // On PostgreSQL the triggers block writers until the commit, so the counts are exact.
  ...listedRows,
  ...['users id', 'users name', 'users email'].map((list) => firstBlock(list, 'users')),
  firstBlock('posts id', 'posts'),
  firstBlock('accounts id', 'accounts'),
]

function firstBlock(list: string, table: string): string {
  return `insert into list_blocks (list, key, row_id, total)
    select '${list}', '', 0, count(*) from ${table}`
}
