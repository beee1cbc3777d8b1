import { counted, type Migration } from './statement.ts'

/** Posts, which remain when their authors are deleted. */
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
  // An offset skips posts in this small index, because the pages of the table are full of bodies.
  'create index posts_by_id on posts (id)',
  'create index posts_by_author on posts (author_id)', // for the deletion of users

  counted('posts'),
]
