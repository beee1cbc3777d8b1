// A database makes a difference: what a text or a bound means to it, and rows that a reader must not see.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createAccountList } from '../../src/modules/accounts/account-list.ts'
import { manyAccounts } from '../account-list.ts'
import { testApp } from '../app.ts'
import { forgeCursor } from '../users.ts'

const path = '/api/admin/accounts'
const accounts = 2300 // more than are sorted without a walk

suite('hostile queries of the list of accounts', async () => {
  const app = await testApp()
  const headers = await app.bearer(app.admin)
  const get = (query: string) => app.call('GET', `${path}?${query}`, { headers })
  const asked = (query: Record<string, string>) => get(new URLSearchParams(query).toString())
  await app.account('ann')

  const refused: readonly (readonly [string, string, string])[] = [
    ['page=2&sort=username', 'page', 'does not go with filters: use `cursor`'],
    [
      'sort=password',
      'sort',
      'must be one of username, name, created_at, last_login_at, or one with a minus',
    ],
    [
      'sort=--name',
      'sort',
      'must be one of username, name, created_at, last_login_at, or one with a minus',
    ],
    ['sort=name&sort=name', 'sort', 'must be given once'],
    ['role=ROOT', 'role', 'must be one of USER, EDITOR, ADMIN'],
    ['role=', 'role', 'must be one of USER, EDITOR, ADMIN'],
    [
      'state=LOCKED',
      'state',
      'must be one of active, locked, locked_out, disabled, deletion_pending, must_change',
    ],
    ['second_factor=1', 'second_factor', 'must be true or false'],
    ['verified=TRUE', 'verified', 'must be true or false'],
    ['imported=', 'imported', 'must be true or false'],
    [
      `provider=${'x'.repeat(513)}`,
      'provider',
      'must be the name or the issuer of an identity provider',
    ],
    ['provider=%00', 'provider', 'must be the name or the issuer of an identity provider'],
    ['last_login=always', 'last_login', 'must be never'],
    [
      'last_login=never&last_login_after=2026-01-01T00:00:00Z',
      'last_login',
      'stands alone: leave out the times',
    ],
    [
      'last_login_before=yesterday',
      'last_login_before',
      'must be a time like 2026-01-15T12:00:00Z',
    ],
    [
      'last_login_after=2026-02-30T00:00:00Z',
      'last_login_after',
      'must be a time like 2026-01-15T12:00:00Z',
    ],
    [`search=${'x'.repeat(201)}`, 'search', 'must have at most 200 characters'],
    ['search=a%00b', 'search', 'must not hold NUL characters or lone surrogates'],
    ['search=a&search=b', 'search', 'must be given once'],
  ]
  for (const [query, field, message] of refused) {
    test(`${query.slice(0, 60)} is 400`, async () => {
      const { status, body } = await get(query)
      const details = [{ path: [field], message }]
      assert.deepEqual([status, body], [400, { error: 'Validation failed', details }])
    })
  }

  const max = Number.MAX_SAFE_INTEGER
  const none = 'must be the `next` or `previous` of a page'
  const other = 'belongs to another `sort`'
  const cursors: readonly (readonly [string, unknown, string])[] = [
    ['no JSON', 'not json at all', none],
    ['nothing', '', none],
    ['an object', forgeCursor({ after: 'ann' }), none],
    ['too few fields', forgeCursor(['after', 'username', 'ann']), none],
    ['too many', forgeCursor(['after', 'username', 'ann', 1, 1]), none],
    ['another side', forgeCursor(['beside', 'username', 'ann', 1]), none],
    ['no such order', forgeCursor(['after', 'hash', 'ann', 1]), none],
    ['a negative id', forgeCursor(['after', 'username', 'ann', -1]), none],
    ['a fraction', forgeCursor(['after', 'username', 'ann', 1.5]), none],
    ['an id that is too large', forgeCursor(['after', 'username', 'ann', max + 1]), none],
    ['an id as text', forgeCursor(['after', 'username', 'ann', "1' or 1=1"]), none],
    ['NUL', forgeCursor(['after', 'username', '\0', 1]), none],
    ['a lone surrogate', forgeCursor(['after', 'username', '\ud800', 1]), none],
    ['an array as value', forgeCursor(['after', 'username', ['ann'], 1]), none],
    ['null', forgeCursor(['after', 'username', null, 1]), none],
    ['that of users', forgeCursor([2, 'name', 'ann', 1]), none],
    ['another order', forgeCursor(['after', '-username', 'ann', 1]), other],
    ['a time where names are', forgeCursor(['after', 'username', 5, 1]), other],
  ]
  for (const [what, cursor, message] of cursors) {
    test(`a cursor that is wrong is 400: ${what}`, async () => {
      const { status, body } = await asked({ sort: 'username', cursor: String(cursor) })
      const details = [{ path: ['cursor'], message }]
      assert.deepEqual([status, body], [400, { error: 'Validation failed', details }])
    })
  }

  test('a name where times are is 400', async () => {
    const { status } = await asked({
      sort: 'created_at',
      cursor: forgeCursor(['after', 'created_at', 'ann', 1]),
    })
    assert.equal(status, 400)
  })

  test('a page that takes longer than the database may is refused, and keeps no place of others', async () => {
    const { db, clock, config } = app.deps
    const within = (timeoutMs: number) => {
      const database = { ...config.database, timeoutMs }
      return createAccountList({ db, clock, config: { database } })
    }
    const order = { key: 'username', descending: false } as const
    const wanted = { filters: {}, order, limit: 10, cursor: null }
    const list = within(0)
    // One page more than may be read at once: those that were refused have left.
    for (let page = 0; page <= 100; page += 1) {
      await assert.rejects(list.page(wanted), {
        name: 'DatabaseUnavailable',
        message: 'the list of accounts takes too long',
      })
    }
    assert.equal((await within(60_000).page(wanted)).accounts.at(0)?.username, 'admin')
  })

  test('places that no account has are places', async () => {
    for (const [sort, value] of [
      ['username', 'x'.repeat(4000)],
      ['username', ''],
      ['name', '\u{10ffff}'],
      ['name', "'; drop table accounts; --"],
      ['created_at', max],
      ['last_login_at', 0],
    ] as const) {
      for (const side of ['after', 'before']) {
        for (const minus of ['', '-']) {
          const cursor = forgeCursor([side, minus + sort, value, max])
          const { status, body } = await asked({ sort: minus + sort, cursor })
          assert.equal(status, 200, `${side} ${minus}${sort} ${JSON.stringify(body)}`)
        }
      }
    }
  })

  test('what is searched is text, whatever it means elsewhere', async () => {
    const texts = [
      ...[
        '%',
        '_',
        '%%%',
        '\\',
        '\\\\\\',
        "'",
        "''' or 1=1",
        '"',
        '""" OR "',
        '*',
        'a*',
        'NEAR(a b)',
      ],
      ...[
        'username:ann',
        '- ann',
        '\u202e\u200b',
        '👩‍👩‍👧‍👦',
        '\u{10ffff}'.repeat(3),
        ' ',
        '   ',
        '\t\n\r',
      ],
      ...['ﬁ', 'ﬁﬁﬁ', 'İİİ', 'ßßß', '\u0002\u0002\u0002', 'x'.repeat(200), 'ٱللَّه'],
    ]
    for (const search of texts) {
      const { status, body } = await asked({ search })
      assert.equal(status, 200, `${search} ${JSON.stringify(body)}`)
      assert.deepEqual([body.data, body.total], [[], 0], JSON.stringify(search))
    }
    for (const search of ['ANN', 'ａｎｎ', 'nn', 'ann', 'someone@EXAMPLE.org']) {
      const { body } = await asked({ search })
      const expected = search === 'nn' ? [] : ['ann']
      const names = body.data.map(({ username }: { username: string }) => username)
      assert.deepEqual(names, expected, search)
    }
  })
})

suite('accounts that come, go and hide between two pages', async () => {
  const app = await testApp()
  const { db } = app.deps
  const headers = await app.bearer(app.admin)
  await manyAccounts(app, accounts)
  const get = async (query: string) => {
    const { status, body } = await app.call('GET', `${path}?${query}`, { headers })
    assert.equal(status, 200, JSON.stringify(body))
    return body as {
      data: { username: string; user_id: number }[]
      next: string | null
      previous: string | null
      total: number | null
    }
  }
  const namesOf = ({ data }: { data: { username: string }[] }) =>
    data.map(({ username }) => username)

  test('one that is deleted is not skipped for, and one that comes is not repeated', async () => {
    const first = await get('sort=username&limit=20')
    const gone = first.data.at(-1)?.user_id ?? 0
    await app.call('DELETE', `/users/${gone}`, { headers })
    await app.account('u00-before')
    const second = await get(`sort=username&limit=20&cursor=${first.next}`)
    const whole = namesOf(await get('sort=username&limit=45'))
    const known = [...namesOf(first), ...namesOf(second)]
    assert.equal(new Set(known).size, 40)
    assert.deepEqual(
      whole.filter((name) => name !== 'u00-before').slice(0, 39),
      known.filter((name) => name !== first.data.at(-1)?.username),
    )
  })

  test('one that does not pass any more is left out, though the page before it ended there', async () => {
    const query = 'second_factor=true&state=active&sort=created_at&limit=10'
    const first = await get(query)
    const last = first.data.at(-1)
    await db
      .updateTable('accounts')
      .set({ locked: 1 })
      .where('user_id', '=', last?.user_id ?? 0)
      .execute()
    const second = await get(`${query}&cursor=${first.next}`)
    assert.equal(new Set([...namesOf(first), ...namesOf(second)]).size, 20)
    const back = await get(`${query}&cursor=${second.previous}`)
    assert.equal(namesOf(back).includes(last?.username ?? ''), false)
    assert.equal(back.data.length, 10, 'it is the first page, whole')
  })

  test('a login moves an account in its order, and is shown at once', async () => {
    const name = 'u-late'
    const late = await app.account(name)
    assert.equal((await get(`search=${name}`)).data.length, 1)
    assert.deepEqual(namesOf(await get('last_login=never&search=u-late')), [name])
    app.clock.advance(60)
    await app.session(late)
    assert.deepEqual(namesOf(await get('last_login=never&search=u-late')), [])
    const [newest] = (await get('sort=-last_login_at&limit=1')).data
    assert.deepEqual(
      [newest?.username, (newest as { last_login_at?: string })?.last_login_at],
      [name, new Date(app.clock.now()).toISOString()],
    )
  })

  // The import has one account at the beginning of each order, and very many in the middle.
  const staged = 1500
  await db
    .insertInto('imports')
    .values({ id: 9, state: 'open', seen_at: app.clock.now() })
    .execute()
  const ids = Array.from({ length: staged }, (_, index) => 700_000 + index)
  const nameOf = (id: number) => (id === 700_000 ? '0-hidden' : `u5-hidden-${id}`)
  for (let from = 0; from < staged; from += 300) {
    const some = ids.slice(from, from + 300)
    await db
      .insertInto('users')
      .values(
        some.map((id) => ({
          ...{ id, name: nameOf(id), email: 'hidden@example.org', import_id: 9 },
          ...{ name_key: nameOf(id), email_key: 'hidden@example.org' },
        })),
      )
      .execute()
    await db
      .insertInto('accounts')
      .values(
        some.map((id) => ({
          ...{ user_id: id, username: nameOf(id), locked: 0, active: 1, created_at: 1 },
          ...{ import_id: 9, import_line: 1, locked_until: null, second_factor: 1 },
        })),
      )
      .execute()
    await db
      .insertInto('token_versions')
      .values(some.map((user_id) => ({ user_id, access_version: 1, refresh_version: 1 })))
      .execute()
  }

  const isHidden = (text: string) => text.includes('hidden')

  test('accounts of an import under way are in no page, no total and no cursor', async () => {
    for (const sort of [
      'username',
      '-username',
      'name',
      'created_at',
      '-created_at',
      'last_login_at',
    ]) {
      for (const query of [
        '',
        'second_factor=true&',
        'search=u5&',
        'search=hidden&',
        'imported=true&',
        'search=0-&',
      ]) {
        let cursor: string | null = null
        const seen: string[] = []
        do {
          const page: Awaited<ReturnType<typeof get>> = await get(
            `${query}sort=${sort}&limit=300${cursor ? `&cursor=${cursor}` : ''}`,
          )
          seen.push(...namesOf(page))
          for (const text of [page.next, page.previous]) {
            const shown = Buffer.from(text ?? '', 'base64url').toString()
            assert.equal(isHidden(shown), false, `${query}${sort} ${shown}`)
          }
          if (page.total !== null) assert.ok(page.total <= accounts + 4, String(page.total))
          cursor = page.next
        } while (cursor)
        assert.deepEqual(seen.filter(isHidden), [], `${query}${sort}`)
        assert.equal(new Set(seen).size, seen.length)
      }
    }
    const details = await app.call('GET', `${path}/0-hidden/details`, { headers })
    assert.deepEqual([details.status, details.body], [404, { error: 'Account not found' }])
  })

  test('they are there all at once when it is done', async () => {
    await db.updateTable('imports').set({ state: 'done' }).where('id', '=', 9).execute()
    const { total } = await get('imported=true&limit=1')
    assert.equal(total, staged)
    assert.deepEqual(namesOf(await get('sort=username&limit=1')), ['0-hidden'])
    assert.equal((await get('search=u5-hidden-70')).data.length, 10)
  })

  test('a person who was erased is found by no part of the name', async () => {
    const erased = await app.account('zz-erased-name', ['USER'], { name: 'Erased Person' })
    assert.deepEqual(namesOf(await get('search=erased')), ['zz-erased-name'])
    assert.equal((await app.call('DELETE', `/users/${erased.userId}`, { headers })).status, 200)
    for (const search of ['zz-erased-name', 'erased', 'zz', 'Erased%20Person']) {
      const { data, total } = await get(`search=${search}`)
      assert.deepEqual([data, total], [[], 0], search)
    }
  })
})
