import { type Migration, madeAnew } from './statement.ts'

/** Recovery codes belong to the account, no longer to its TOTP secret in `second_factors`. */
export const statements: Migration = [
  {
    sqlite: madeAnew(
      'recovery_codes',
      `create table recovery_codes (
        user_id integer not null references accounts (user_id) on delete cascade,
        code text not null,
        created_at integer,
        primary key (user_id, code)
      ) strict, without rowid`,
      ['user_id', 'code', 'created_at'],
    ),
    postgres: [
      `alter table recovery_codes
        drop constraint recovery_codes_user_id_fkey,
        add constraint recovery_codes_user_id_fkey
          foreign key (user_id) references accounts (user_id) on delete cascade`,
    ],
  },
]
