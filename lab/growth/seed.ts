import { randomBytes } from 'node:crypto'
import { hash } from '@node-rs/argon2'
import { digest } from '../../src/core/crypto/digest.ts'
import type { Store } from './store.ts'

export const password = 'the keeper of all growth, 1887'
export const passwordHash = await hash(password, {
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
})

const leastPosts = 1000
const maxPosts = 100_000
const usersPerSession = 10
const knownSessions = 200

export interface Seeded {
  readonly users: number
  readonly posts: number
  readonly cookies: readonly string[]
}

/**
 * Fills a database by SQL: `users` users with accounts, a session for every tenth, posts of 1 kB.
 * The triggers run.
 */
export async function seed(store: Store, users: number): Promise<Seeded> {
  const now = Date.now()
  const posts = Math.min(maxPosts, Math.max(leastPosts, users / 10))
  const own = store.name === 'SQLite' ? 'printf' : 'format'
  const email = `${own}('user%s@example.org', n)`
  const last = 1 + users
  await store.query(`
    insert into users (name, email, name_key, email_key)
    select ${own}('User %s', p), ${email}, ${own}('user %s', p), ${email}
    from (${numbersUpTo(last, 2)}) as numbers`)
  await store.query(`
    insert into accounts (user_id, username, created_at)
    select n, ${own}('user%s', n), ${now}
    from (${numbersUpTo(last, 2)}) as numbers`)
  await store.query(`
    insert into role_assignments (account, role)
    select n, 'USER' from (${numbersUpTo(last, 2)}) as numbers`)
  await store.query(`
    insert into passwords (account, hash)
    select n, '${passwordHash}' from (${numbersUpTo(last, 2)}) as numbers`)
  await store.query(`
    insert into token_versions (user_id, access_version, refresh_version)
    select n, 1, 1 from (${numbersUpTo(last, 2)}) as numbers`)
  await insertSessions(store, users / usersPerSession, users, now)
  await store.query(`
    insert into posts (title, body, author_id, created_at, updated_at)
    select ${own}('Post %s', n), '${'words of a post '.repeat(64)}', 1 + p % ${users}, ${now}, ${now}
    from (${numbersUpTo(posts)}) as numbers`)
  const cookies = await insertKnownSessions(store, now)
  await store.settle()
  return { users, posts, cookies }
}

/** Rows with `n`, and with `p`, the same numbers in another order. */
export function numbersUpTo(last: number, first = 1): string {
  return `
    with recursive numbers (n) as (
      select cast(${first} as bigint) union all select n + 1 from numbers where n < ${last})
    select n, n * 7919 % 1000003 as p from numbers`
}

/** Inserts sessions of the first users in turn, last seen at the given time. */
export async function insertSessions(
  store: Store,
  count: number,
  users: number,
  seenAt: number,
): Promise<void> {
  const id = `substr(${store.randomHex} || ${store.randomHex}, 1, 43)`
  await store.query(`
    insert into sessions (id, user_id, csrf_token, created_at, last_seen_at, address, user_agent)
    select ${id}, 2 + n % ${users}, ${id}, ${seenAt}, ${seenAt}, '192.0.2.1',
      'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
    from (${numbersUpTo(count)}) as numbers`)
}

async function insertKnownSessions(store: Store, now: number): Promise<string[]> {
  const secrets = Array.from({ length: knownSessions }, () => randomBytes(32).toString('base64url'))
  const rows = secrets.map((secret, index) => {
    const id = digest(secret)
    return `('${id}', ${index + 2}, '${id}', ${now}, ${now}, '192.0.2.1', 'Mozilla/5.0')`
  })
  await store.query(`
    insert into sessions (id, user_id, csrf_token, created_at, last_seen_at, address, user_agent)
    values ${rows.join(', ')}`)
  return secrets
}
