import { counted, type Migration } from './statement.ts'

/** Posts remain when their authors are deleted. */
export const statements: Migration = [
  `create table posts (
    id integer primary key autoincrement,
    title text not null,
    body text not null,
    author_id integer references users (id) on delete set null,
    locked integer not null default 0 check (locked in (0, 1)),
    created_at integer not null,
    updated_at integer not null
  ) strict`,
  // Offsets skip posts in a small index instead of large table pages.
  'create index posts_by_id on posts (id)',
  'create index posts_by_author on posts (author_id)', // for deleting users

  counted('posts'),
]
