import { listedRows } from './list-changes.ts'
import type { Migration } from './statement.ts'

/**
 * Counts of the rows between places of an order, so that a page by number costs about the same at
 * any depth. docs/adr/0048
 */
export const statements: Migration = [
  // `key` and `row_id` are the place in the order at which the block begins.
  `create table list_blocks (
    id integer primary key autoincrement,
    list text not null,
    key text not null,
    row_id integer not null,
    total integer not null
  ) strict`,
  'create index list_blocks_in_order on list_blocks (list, key, row_id, total)',
  // What the blocks do not count yet.
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

  // Users who are deleted, and hidden until very many rows that name them are cleared: pending-deletion.ts.
  `create table leaving_users (
    user_id integer primary key references users (id) on delete cascade,
    import_id integer not null
  ) strict`,

  // On PostgreSQL the triggers keep other writers waiting until the commit, so the counts are exact.
  ...listedRows,
  ...['users id', 'users name', 'users email'].map((list) => firstBlock(list, 'users')),
  firstBlock('posts id', 'posts'),
  firstBlock('accounts id', 'accounts'),
]

function firstBlock(list: string, table: string): string {
  return `insert into list_blocks (list, key, row_id, total)
    select '${list}', '', 0, count(*) from ${table}`
}
