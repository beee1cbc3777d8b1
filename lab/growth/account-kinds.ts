import type { Store } from './store.ts'

export const issuers = { many: 'https://many.example', few: 'https://few.example' } as const

const dayMs = 86_400_000

/**
 * Makes the seeded accounts differ: for each filter of the list of accounts many of them pass, or a
 * part, or few. Ids, usernames, times and names have orders of their own.
 */
export async function differ(store: Store): Promise<void> {
  const now = Date.now()
  const back = (n: string) => `${now} - cast(${n} as bigint)`
  await store.changeMany(`
    update accounts set
      created_at = ${back(`(user_id * 7907 % 1000003) * 60000`)},
      last_login_at = case when user_id % 5 = 0 then 0
        else ${back(`(user_id * 6133 % 1000003) * 90000`)} end,
      locked = case when user_id % 1000 = 1 then 1 else 0 end,
      active = case when user_id % 50 = 2 then 0 else 1 end,
      second_factor = user_id % 2,
      locked_until = case when user_id % 3000 = 3 then ${now + 3650 * dayMs} end,
      import_id = case when user_id % 10 = 4 then 1 end,
      verified_email = case when user_id % 3 > 0 then 'v' || user_id || '@verified.example' end,
      verified_email_key = case when user_id % 3 > 0 then 'v' || user_id || '@verified.example' end
    where user_id > 1`)
  await store.query(
    "insert into role_assignments (account, role) select user_id, 'EDITOR' from accounts where user_id % 100 = 7",
  )
  await store.query('update passwords set must_change = 1 where account % 200 = 9')
  await store.query(`
    insert into identities (user_id, issuer, subject, created_at)
    select user_id, case when user_id % 700 = 0 then '${issuers.few}' else '${issuers.many}' end,
      'sub' || user_id, ${now} from accounts where user_id % 4 = 0 or user_id % 700 = 0`)
  await store.settle()
}
