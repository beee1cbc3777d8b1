import { accountTallies } from './account-tallies.ts'
import type { Migration } from './statement.ts'

const base64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/._-='
const withoutHash = `rtrim(hash, '${base64}')`
const parameters = `rtrim(rtrim(${withoutHash}, '$'), '${base64}')`

/** `ROLE_ADMIN` names the role ADMIN, as everywhere. Spec 2.2. */
const withoutPrefix = (name: string) =>
  `substr(${name}, case when substr(${name}, 1, 5) = 'ROLE_' then 6 else 1 end)`

/**
 * Tables of their own for roles, with an index both ways, and for passwords, so that an account can
 * have none. docs/adr/0030
 */
export const statements: Migration = [
  // First, so that no other node changes an account or ends an import until the commit.
  { postgres: ['lock table imports, accounts in access exclusive mode'] },
  {
    sqlite: ['in', 'out', 'anew'].map((way) => `drop trigger accounts_counted_${way}`),
    postgres: [
      ...['in', 'out', 'anew'].map((way) => `drop trigger accounts_counted_${way} on accounts`),
      'drop function count_accounts()',
      'drop function count_account_anew()',
    ],
  },

  // No comma in a name, because queries read the names of an account joined by commas.
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

  // A row without a hash requires the user to set a password.
  `create table passwords (
    account integer primary key references accounts (user_id) on delete cascade,
    hash text,
    changed_at integer,
    must_change integer not null default 0 check (must_change in (0, 1))
  ) strict`,
  `insert into passwords (account, hash, must_change)
    select user_id, password_hash, must_change from accounts order by user_id`,
  // The kinds of stored hashes are queried every second, as in 0013: passwords/hash-kinds.ts.
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
