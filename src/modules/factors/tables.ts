import type { Generated } from 'kysely'
import type { Migration } from '../../core/database/migrations/statement.ts'
import type { ModuleTable } from '../../core/module/module.ts'

export const tables: readonly ModuleTable[] = [
  {
    name: 'recovery_codes',
    key: ['user_id', 'code'],
    refersTo: 'second_factors', // before the migration below, as older backups are restored
    person: { column: 'user_id', onDelete: 'delete' },
    namesNone: ['code'],
  },
]

declare module '../../core/database/schema.ts' {
  interface Schema {
    recovery_codes: RecoveryCodesTable
  }
}

interface RecoveryCodesTable {
  user_id: number
  /** Digest. */
  code: string
  /** Null for codes of earlier versions. */
  created_at: Generated<number | null>
}

/** The codes belong to the account, no longer to its TOTP secret in `second_factors`. */
const codesOfAccounts: Migration = [
  {
    sqlite: [
      'alter table recovery_codes rename to recovery_codes_before',
      `create table recovery_codes (
        user_id integer not null references accounts (user_id) on delete cascade,
        code text not null,
        created_at integer,
        primary key (user_id, code)
      ) strict, without rowid`,
      `insert into recovery_codes (user_id, code, created_at)
        select user_id, code, created_at from recovery_codes_before`,
      'drop table recovery_codes_before',
    ],
    postgres: [
      `alter table recovery_codes
        drop constraint recovery_codes_user_id_fkey,
        add constraint recovery_codes_user_id_fkey
          foreign key (user_id) references accounts (user_id) on delete cascade`,
    ],
  },
]

export const migrations: readonly Migration[] = [codesOfAccounts]
