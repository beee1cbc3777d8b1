import { execute } from '../src/core/database/database.ts'
import type { TestApp } from './app.ts'

const day = 86_400_000

/** The time of the newest of the accounts; the others are days older. */
export const newest = Date.UTC(2026, 0, 1)

/**
 * Makes accounts without a login through the API, by the database alone: user ids and usernames differ
 * in their order, names repeat, and each filter has many accounts, some or few.
 */
export async function manyAccounts({ deps: { db } }: TestApp, count: number): Promise<void> {
  const numbers = `with recursive numbers (n) as (
    select 10 union all select n + 1 from numbers where n < ${count + 9})`
  const user = `n, 'Name ' || (n * 7919 % 331), 'e' || (n * 104729 % 9973) || '@example.org',
    'name ' || (n * 7919 % 331), 'e' || (n * 104729 % 9973) || '@example.org'`
  await execute(
    db,
    `insert into users (id, name, email, name_key, email_key) ${numbers} select ${user} from numbers`,
  )
  await execute(
    db,
    `insert into accounts (user_id, username, locked, active, second_factor, created_at, last_login_at,
        failed_logins, locked_until, verified_email, verified_email_key) ${numbers}
      select n, 'u' || (n * 7907 % 100003),
        case when n % 97 = 3 then 1 else 0 end, case when n % 89 = 5 then 0 else 1 end,
        case when n % 3 = 0 then 1 else 0 end, ${newest} - n * 13 % 1009 * cast(${day} as bigint),
        case when n % 5 = 0 then 0 else ${newest} - n * 17 % 701 * cast(${day} as bigint) end, 0,
        case when n % 131 = 7 then ${newest + 400 * day} when n % 131 = 8 then 1 end,
        case when n % 2 = 0 then 'V' || n || '@verified.example' end,
        case when n % 2 = 0 then 'v' || n || '@verified.example' end from numbers`,
  )
  await execute(
    db,
    `insert into token_versions (user_id, access_version, refresh_version) ${numbers}
      select n, 1, 1 from numbers`,
  )
  await execute(
    db,
    `insert into role_assignments (account, role) ${numbers}
      select n, case when n % 50 = 1 then 'EDITOR' else 'USER' end from numbers`,
  )
  await execute(
    db,
    `insert into passwords (account, hash, must_change) ${numbers}
      select n, null, 1 from numbers where n % 211 = 9`,
  )
  await execute(
    db,
    `insert into identities (user_id, issuer, subject, created_at) ${numbers}
      select n, 'https://login.example', 'sub' || n, 1 from numbers where n % 4 = 1`,
  )
}
