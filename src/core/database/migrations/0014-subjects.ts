import { accountTallies } from './account-tallies.ts'
import type { Migration } from './statement.ts'

const base64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/._-='
const withoutHash = `rtrim(hash, '${base64}')`
const parameters = `rtrim(rtrim(${withoutHash}, '$'), '${base64}')`

/** `ROLE_ADMIN` means ADMIN. Spec 2.2. */
const withoutPrefix = (name: string) =>
  `substr(${name}, case when substr(${name}, 1, 5) = 'ROLE_' then 6 else 1 end)`

/** Roles with indexes in both directions, and optional passwords. docs/adr/0030 */
export const statements: Migration = [
  // First, so that other nodes cannot change accounts or complete imports.
  { postgres: ['lock table imports, accounts in access exclusive mode'] },
  {
    sqlite: ['in', 'out', 'anew'].map((way) => `drop trigger accounts_counted_${way}`),
    postgres: [
      ...['in', 'out', 'anew'].map((way) => `drop trigger accounts_counted_${way} on accounts`),
      'drop function count_accounts()',
      'drop function count_account_anew()',
    ],
  },

  // Queries join role names by commas.
  `create table role_assignments (
    account integer not null references accounts (user_id) on delete cascade,
    role text not null check (role <> '' and replace(role, ',', '') = role),
    primary key (account, role)
  ) strict, without rowid`,
  {
    sqlite: [
      `insert into role_assignments (account, role)
        select distinct user_id, ${withoutPrefix('value')}
        from accounts, json_each('[' || replace(json_quote(roles), ',', '","') || ']')
        where ${withoutPrefix('value')} <> '' order by user_id`,
    ],
    postgres: [
      `insert into role_assignments (account, role)
        select distinct user_id, ${withoutPrefix('role')}
        from accounts, string_to_table(roles, ',') as role
        where ${withoutPrefix('role')} <> '' order by user_id`,
    ],
  },
  'create index role_assignments_by_role on role_assignments (role, account)',

  // Without a hash, the user must set a password.
  `create table passwords (
    account integer primary key references accounts (user_id) on delete cascade,
    hash text,
    changed_at integer,
    must_change integer not null default 0 check (must_change in (0, 1))
  ) strict`,
  `insert into passwords (account, hash, must_change)
    select user_id, password_hash, must_change from accounts order by user_id`,
  // Queried every second, like 0013: passwords/hash-kinds.ts.
  `create index passwords_by_hash_kind on passwords ((case substr(hash, 1, 2)
    when '$2' then substr(hash, 1, 6)
    when '$p' then ${parameters}
      || cast(length(hash) - length(${withoutHash}) as text)
    else ${parameters} end)) where hash is not null`,

  'drop index accounts_by_hash_kind',
  'drop index accounts_administrators',
  'alter table accounts drop column password_hash',
  'alter table accounts drop column roles',
  'alter table accounts drop column must_change',

  accountTallies,
]
