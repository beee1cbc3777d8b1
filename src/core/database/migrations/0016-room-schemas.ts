import type { Migration } from './statement.ts'

/** The versions of external modules, which number their own migrations. */
export const statements: Migration = [
  `create table room_schemas (
    room text not null,
    version integer not null,
    applied_at integer not null,
    primary key (room, version)
  ) strict, without rowid`,
]
