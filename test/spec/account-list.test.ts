// A database makes a difference: orders of rows, indexes of texts, and the plans of many filters.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { manyAccounts, newest } from '../account-list.ts'
import { testApp } from '../app.ts'

const accounts = 2200
const path = '/api/admin/accounts'

suite('the list of accounts by filters', async () => {
  const app = await testApp({
    OIDC_PROVIDERS: 'acme',
    OIDC_ACME_ISSUER: 'https://login.example',
    OIDC_ACME_AUDIENCE: 'gatehouse',
    DATABASE_TIMEOUT_MS: '20000', // what is asked here is not how fast the machine is
  })
  await manyAccounts(app, accounts)
  const { db } = app.deps
  const headers = await app.bearer(app.admin)
  const get = (query: string) => app.call('GET', `${path}?${query}`, { headers })

  // biome-ignore lint/suspicious/noExplicitAny: rows of an answer
  async function follow(query: string, way: 'next' | 'previous', from?: string): Promise<any[]> {
    const all = []
    for (let cursor: string | null | undefined = from; ; ) {
      const { status, body } = await get(`${query}${cursor ? `&cursor=${cursor}` : ''}`)
      assert.equal(status, 200, JSON.stringify(body))
      if (way === 'next') all.push(...body.data)
      else all.unshift(...body.data)
      cursor = body[way]
      if (!cursor) return all
    }
  }

  const rows = await db
    .selectFrom('accounts')
    .innerJoin('users', 'users.id', 'accounts.user_id')
    .select(['user_id', 'username', 'locked', 'active', 'locked_until', 'second_factor'])
    .select(['created_at', 'last_login_at', 'verified_email', 'name', 'name_key', 'email_key'])
    .execute()
  type Row = (typeof rows)[number]
  const cut = newest - 100 * 86_400_000
  const iso = new Date(cut).toISOString()
  const isLockedOut = ({ locked_until }: Row) => (locked_until ?? 0) > app.clock.now()
  const of = (n: number, rest: number) => (row: Row) => row.user_id > 1 && row.user_id % n === rest
  const filters: Record<string, (row: Row) => boolean> = {
    'role=USER': ({ user_id }) => user_id === 1 || user_id % 50 !== 1,
    'role=EDITOR': ({ user_id }) => user_id % 50 === 1,
    'role=ROLE_ADMIN': ({ user_id }) => user_id === 1,
    'state=locked': ({ locked }) => locked === 1,
    'state=disabled': ({ active }) => active === 0,
    'state=locked_out': isLockedOut,
    'state=must_change': of(211, 9),
    'state=active': (row) => row.locked === 0 && row.active === 1 && !isLockedOut(row),
    'second_factor=true': ({ second_factor }) => second_factor === 1,
    'second_factor=false': ({ second_factor }) => second_factor === 0,
    'verified=true': ({ verified_email }) => verified_email !== null,
    'verified=false': ({ verified_email }) => verified_email === null,
    'imported=true': () => false,
    'imported=false': () => true,
    'provider=acme': of(4, 1),
    'provider=https://login.example': of(4, 1),
    'provider=': (row) => !of(4, 1)(row),
    'provider=unknown': () => false,
    'last_login=never': ({ last_login_at }) => last_login_at === 0,
    [`last_login_after=${iso}`]: ({ last_login_at }) => last_login_at > cut,
    [`last_login_before=${iso}`]: ({ last_login_at }) => last_login_at > 0 && last_login_at < cut,
    'search=U12': ({ username }) => username.includes('u12'),
    'search=2@verified': ({ verified_email }) => verified_email?.includes('2@verified') === true,
    'search=name%2033': ({ name_key }) => name_key.includes('name 33'),
    'search=e99': ({ email_key }) => email_key.includes('e99'),
    'search=v1': ({ verified_email }) => verified_email?.startsWith('V1') === true,
    'search=n': ({ name_key }) => name_key.startsWith('n'),
    'search=nothing%20of%20this': () => false,
    'search=%25%22*': () => false,
  }
  const queries = [
    '',
    ...Object.keys(filters),
    'role=USER&state=active&second_factor=true&verified=true',
    'second_factor=true&provider=acme&last_login=never',
    'state=disabled&search=name%2012',
    'search=Name&verified=false&state=active',
    // Both have many accounts, and no account has both.
    'search=verified.example&verified=false',
  ]
  const orders: Record<string, (row: Row) => string | number> = {
    username: ({ username }) => username,
    name: ({ name_key }) => name_key,
    created_at: ({ created_at }) => created_at,
    last_login_at: ({ last_login_at }) => last_login_at,
  }

  function wanted(query: string, sort: string): string[] {
    const key = orders[sort.replace('-', '')] ?? (() => 0)
    const sign = sort.startsWith('-') ? -1 : 1
    const parts = query === '' ? [] : query.split('&')
    const isEach = (row: Row) => parts.every((part) => filters[part]?.(row) ?? isExtra(part, row))
    const compare = (one: Row, other: Row) => {
      const [left, right] = [key(one), key(other)]
      return sign * (left < right ? -1 : left > right ? 1 : one.user_id - other.user_id)
    }
    return rows
      .filter(isEach)
      .toSorted(compare)
      .map(({ username }) => username)
  }

  function isExtra(part: string, { name_key, verified_email }: Row): boolean {
    if (part === 'search=name%2012') return name_key.includes('name 12')
    if (part === 'search=Name') return name_key.includes('name')
    assert.equal(part, 'search=verified.example')
    return verified_email !== null
  }

  for (const [index, query] of queries.entries()) {
    const sorts = Object.keys(orders).flatMap((sort) => [sort, `-${sort}`])
    // Each filter in two orders, and all orders with several filters.
    const some = index % 7 === 0 ? sorts : [sorts[index % 8], sorts[(index + 3) % 8]]
    for (const sort of some.filter((one) => one !== undefined)) {
      test(`${query || 'all'} by ${sort}, from both ends`, async () => {
        const asked = `${query}&sort=${sort}&limit=437`
        const expected = wanted(query, sort)
        const forward = await follow(asked, 'next')
        assert.deepEqual(names(forward), expected)
        // The last page on the way back is the first one, whole: it may repeat what the page behind it has.
        const backward = names(await follow(asked, 'previous', behindAll(sort)))
        assert.deepEqual([...new Set(backward)], expected)
      })
    }
  }

  function names(listed: readonly { username: string }[]): string[] {
    return listed.map(({ username }) => username)
  }

  /** A cursor of what precedes a place behind all rows. */
  function behindAll(sort: string): string {
    const isOfNames = /name$/.test(sort)
    const last = isOfNames ? '\u{10ffff}' : Number.MAX_SAFE_INTEGER
    const place = sort.startsWith('-') ? [isOfNames ? '' : 0, 0] : [last, Number.MAX_SAFE_INTEGER]
    return Buffer.from(JSON.stringify(['before', sort, ...place])).toString('base64url')
  }
})
