import { counted, type Migration } from './statement.ts'

/** Posts. They outlive their authors. */
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
  // The posts before a page are passed over in here: the table's own pages are full of bodies.
  'create index posts_by_id on posts (id)',
  'create index posts_by_author on posts (author_id)', // for the users who go

  counted('posts'),
]
