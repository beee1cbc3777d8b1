import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { DatabaseUnavailable } from '../../src/core/database/errors.ts'
import { migrate, migrateTo } from '../../src/core/database/migrate.ts'
import { caseFold } from '../../src/core/lib/text.ts'
import type { User } from '../../src/modules/users/user.ts'
import { createFindUsers, insertStagedUsers, insertUser } from '../../src/modules/users/users.ts'
import { testApp } from '../app.ts'
import { fixedClock } from '../clock.ts'
import { connectTo, sqliteOnly } from '../database.ts'
import { forgeCursor, seedUsers } from '../users.ts'

const path = '/api/v2/users'
const never = new AbortController().signal

/** What a search must find, told without an index. */
function oracle(q: string): (user: User) => boolean {
  const folded = caseFold(q)
  const holds = [...q].length < 3 ? 'startsWith' : 'includes'
  return ({ name, email }) => [name, email].some((value) => caseFold(value)[holds](folded))
}

suite('users v2: q against the syntax of an index, and what changes meanwhile', async () => {
  const app = await testApp()
  const headers = await app.bearer(app.admin)
  const pieces = [
    ...[
      '"',
      '""',
      '*',
      'NEAR(',
      ')',
      '-',
      '^',
      ':',
      '+',
      ' AND ',
      ' OR ',
      ' NOT ',
      '{text}',
      'ann',
    ],
    ...[
      '%',
      '_',
      '\\',
      "'",
      '\u0001',
      '\u0002',
      '\u0002\u0002a',
      '\u00e9',
      'e\u0301',
      '\u0301',
      'ß',
    ],
    ...['ẞ', 'ı', 'İ', 'Σς', '😀', '\ufffe', '\uffff', '\u{10ffff}', '\ue000', 'aaa', 'abab', '\n'],
  ]
  const piece = fc.constantFrom(...pieces)
  const text = (maxLength: number) =>
    fc.array(piece, { minLength: 1, maxLength }).map((parts) => parts.join(''))
  const seeded = fc.sample(text(5), { numRuns: 150, seed: 5 })
  await seedUsers(app, seeded.length, (index) => ({
    name: seeded[index] ?? '',
    email: `${index}.x"*-@ANANAN.example.org`,
  }))
  const read = async (query: string) => {
    const { status, body } = await app.call('GET', `${path}?${query}`, { headers })
    assert.equal(status, 200, query)
    return body
  }
  const sorts = ['id', '-id', 'name', '-email'] as const
  const lists = async () =>
    Promise.all(sorts.map(async (sort) => (await read(`limit=1000&sort=${sort}`)).data as User[]))
  const assertFinds = async (q: string, all: readonly User[][]) => {
    const query = `q=${encodeURIComponent(q)}`
    for (const [index, sort] of sorts.entries()) {
      const expected = (all[index] ?? []).filter(oracle(q))
      const whole = await read(`${query}&limit=1000&sort=${sort}`)
      assert.deepEqual(whole, {
        page: 1,
        limit: 1000,
        total: expected.length,
        data: expected,
        next: null,
      })
      const page = await read(`${query}&limit=3&page=2&sort=${sort}`)
      assert.deepEqual([page.total, page.data], [expected.length, expected.slice(3, 6)])
      const first = await read(`${query}&limit=3&sort=${sort}`)
      if (first.next === null) continue
      assert.deepEqual(await read(`${query}&limit=3&sort=${sort}&cursor=${first.next}`), page)
    }
  }

  test('every search text is plain text, also if it has a meaning for the index', async () => {
    const all = await lists()
    for (const q of pieces) await assertFinds(q, all)
    const property = fc.asyncProperty(text(4), (q) => assertFinds(q, all))
    await fc.assert(property, { numRuns: 30, seed: 7 })
  })

  test('a text of 200 characters that repeat themselves finds what holds them', async () => {
    const long = 'anan'.repeat(25)
    await seedUsers(app, 1, () => ({ name: long, email: 'long@example.org' }))
    const all = await lists()
    for (const q of ['an'.repeat(100), 'anan', long, `x${long}`]) await assertFinds(q, all)
  })

  test('what is changed is found by the new text alone, what is deleted by none', async () => {
    const [user] = await seedUsers(app, 1, () => ({ name: 'Quondam', email: 'q@old.example' }))
    const totals = async () =>
      Promise.all(
        ['quondam', 'qu', 'futura', '@old', 'fu'].map(async (q) => (await read(`q=${q}`)).total),
      )
    assert.deepEqual(await totals(), [1, 1, 0, 1, 0])
    const json = { name: 'Futura' }
    await app.call('PUT', `/users/${user?.id}`, { headers, json })
    assert.deepEqual(await totals(), [0, 0, 1, 1, 1])
    await app.call('DELETE', `/users/${user?.id}`, { headers })
    assert.deepEqual(await totals(), [0, 0, 0, 0, 0])
  })

  test('users of an import under way, and of one that failed, are found by no text', async () => {
    const found = async () => (await read('q=imported')).total
    const before = await app.deps.db.selectFrom('users').select('id').execute()
    const { id } = await app.deps.db
      .insertInto('imports')
      .values({ state: 'open', seen_at: app.clock.now() })
      .returning('id')
      .executeTakeFirstOrThrow()
    await insertStagedUsers(app.deps.db, [{ name: 'Imported', email: 'i@example.org' }], id)
    assert.equal(await found(), 0)
    await app.deps.db.updateTable('imports').set({ state: 'done' }).where('id', '=', id).execute()
    assert.equal(await found(), 1)
    await app.deps.db.updateTable('imports').set({ state: 'failed' }).where('id', '=', id).execute()
    assert.equal(await found(), 0)
    for (const job of app.app.jobs) if (job.name === 'dead imports') await job.run(never)
    assert.deepEqual(await app.deps.db.selectFrom('users').select('id').execute(), before)
    assert.equal(await found(), 0)
  })

  for (const [name, q] of [
    ['lone surrogate', '%ED%A0%80abc'],
    ['NUL', 'abc%00'],
    ['NUL alone', '%00'],
  ] as const) {
    test(`q with a ${name} is refused, or is other text: it never fails`, async () => {
      const { status, body } = await app.call('GET', `${path}?q=${q}`, { headers })
      if (name === 'lone surrogate') return assert.deepEqual([status, body.total], [200, 0])
      assert.deepEqual([status, body.error], [400, 'Validation failed'])
      assert.deepEqual(body.details[0].path, ['q'])
    })
  }

  test('a query string of 1 MiB is refused before it is searched', async () => {
    const { url } = await app.listen()
    const answer = await fetch(`${url}${path}?q=${'a'.repeat(1_048_576)}`, { headers }).catch(
      () => null,
    )
    assert.equal(answer?.status ?? 431, 431)
  })
})

suite('users v2: searches beside each other', () => {
  test('users that were there before the index are found by it', async () => {
    const { db, directory } = await connectTo({ isEmpty: true })
    const clock = fixedClock()
    await db.transaction().execute((trx) => migrateTo(trx, clock, 10))
    const user = await insertUser(db, { name: 'Früher', email: 'old@example.org' })
    await migrate(db, clock)
    const settings = { dataDirectory: directory, postgres: undefined, poolMax: 10, timeoutMs: 2000 }
    const find = createFindUsers(db, settings)
    const order = { key: 'id', descending: false } as const
    for (const text of ['FRÜ', 'fr', 'd@ex']) {
      assert.deepEqual(await find({ text, order, limit: 2 }), { users: [user], total: 1 })
    }
    await db.destroy()
  })

  sqliteOnly(
    'twenty at once leave a turn to everything else after each thousand users',
    async () => {
      const app = await testApp()
      const headers = await app.bearer(app.admin)
      await seedUsers(app, 2500)
      let turns = 0
      let isDone = false
      const count = () => {
        turns += 1
        if (!isDone) setImmediate(count)
      }
      setImmediate(count)
      const query = 'q=@example.org&page=9007199254740991' // looks at all
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => app.call('GET', `${path}?${query}`, { headers })),
      )
      isDone = true
      for (const { status, body } of answers) assert.deepEqual([status, body.total], [200, 1001])
      assert.ok(turns >= 20 * 3, String(turns))
      await app.close()
    },
  )

  sqliteOnly(
    'a search that takes longer than DATABASE_TIMEOUT_MS is 503, as on PostgreSQL',
    async () => {
      const { db, directory } = await connectTo()
      await migrate(db, fixedClock())
      await insertUser(db, { name: 'Ann', email: 'ann@example.org' })
      const settings = { dataDirectory: directory, postgres: undefined, poolMax: 10, timeoutMs: 0 }
      const search = { text: 'ann', order: { key: 'id', descending: false }, limit: 2 } as const
      await assert.rejects(createFindUsers(db, settings)(search), DatabaseUnavailable)
      await db.destroy()
    },
  )

  sqliteOnly('more than a hundred at once are 503, and the hundred are answered', async () => {
    const { db, directory } = await connectTo()
    await migrate(db, fixedClock())
    const settings = { dataDirectory: directory, postgres: undefined, poolMax: 10, timeoutMs: 2000 }
    const find = createFindUsers(db, settings)
    const search = { text: 'ann', order: { key: 'id', descending: false }, limit: 2 } as const
    const outcomes = await Promise.allSettled(Array.from({ length: 105 }, () => find(search)))
    const refused = outcomes.filter(({ status }) => status === 'rejected')
    assert.equal(refused.length, 5)
    assert.deepEqual(await find(search), { users: [], total: 0 })
    await db.destroy()
  })
})

suite('users v2: search, order and cursor', async () => {
  const app = await testApp()
  const headers = app.basic(app.admin)
  const names = [
    'ann',
    'Ann',
    'ANN',
    'Éva',
    'éva',
    'Zoë',
    'straße',
    '100%',
    'a_b',
    'a\\b',
    "o'neil",
    '😀',
    '',
  ]
  await seedUsers(app, 60, (index) => ({
    name: names[index % names.length] || `"; drop table users; --`,
    email: `User${index % 7}@example.org`,
  }))
  const read = (query: string) => app.call('GET', `${path}?${query}`, { headers })
  const all: User[] = (await read('limit=1000')).body.data

  async function walk(query: string, between: (page: User[]) => Promise<void> = async () => {}) {
    const seen: User[] = []
    let cursor = ''
    for (let turns = 0; turns < 200; turns += 1) {
      const { status, body } = await read(`${query}${cursor}`)
      assert.equal(status, 200)
      assert.equal(body.page, turns + 1)
      seen.push(...body.data)
      if (body.next === null) return seen
      cursor = `&cursor=${encodeURIComponent(body.next)}`
      await between(body.data)
    }
    throw new Error('the walk does not end')
  }

  test('the list is always an envelope of page, limit, total, data and next', async () => {
    const { body } = await read('')
    assert.deepEqual(Object.keys(body).sort(), ['data', 'limit', 'next', 'page', 'total'])
    assert.deepEqual([body.page, body.limit, body.total], [1, 10, 61])
    assert.deepEqual(body.data, all.slice(0, 10))
  })

  test('the limit is at most 1000, and the envelope shows the limit in force', async () => {
    for (const limit of ['1001', '9007199254740991']) {
      assert.equal((await read(`limit=${limit}`)).body.limit, 1000)
    }
    const past = await read('page=9007199254740991&limit=1000')
    assert.deepEqual([past.status, past.body.data, past.body.next], [200, [], null])
  })

  for (const key of ['id', 'name', 'email'] as const) {
    test(`sort by ${key} is total: ties go by id, and descending is the exact reverse`, async () => {
      const ascending = (await read(`sort=${key}&limit=1000`)).body.data
      const descending = (await read(`sort=-${key}&limit=1000`)).body.data
      assert.deepEqual(descending, ascending.toReversed())
      assert.equal(new Set(ascending.map(({ id }: User) => id)).size, all.length)
      for (const [index, user] of ascending.entries()) {
        const next = ascending[index + 1]
        if (!next || String(user[key]).toUpperCase() !== String(next[key]).toUpperCase()) continue
        assert.ok(user.id < next.id)
      }
    })

    for (const sort of [key, `-${key}`]) {
      test(`a cursor walk by ${sort} visits each user exactly once, in the order of pages`, async () => {
        const expected = (await read(`sort=${sort}&limit=1000`)).body.data
        for (const limit of [1, 3, 7, 60, 61, 62]) {
          assert.deepEqual(await walk(`sort=${sort}&limit=${limit}`), expected)
        }
      })
    }
  }

  test('cursor walks visit every user that stays exactly once while others come and go', async () => {
    const step = fc.record({
      sort: fc.constantFrom('id', '-id', 'name', '-name', 'email', '-email'),
      limit: fc.integer({ min: 3, max: 20 }),
      names: fc.array(fc.string({ minLength: 1, maxLength: 5, unit: 'grapheme' }), {
        maxLength: 6,
      }),
      drop: fc.integer({ min: 0, max: 19 }),
    })
    await fc.assert(
      fc.asyncProperty(step, async ({ sort, limit, names, drop }) => {
        const before: User[] = (await read('limit=1000')).body.data
        const gone = new Set<number>()
        const left = names.filter((name) => name.isWellFormed() && !name.includes('\0'))
        const seen = await walk(`sort=${sort}&limit=${limit}`, async (page) => {
          const name = left.pop()
          if (name === undefined) return
          const [made] = await seedUsers(app, 1, () => ({
            name: [...name].slice(0, 9).join(''),
            email: 'new@example.org',
          }))
          // Also the very user that the cursor stands on.
          const victim = drop % 2 ? page.at(-1) : page[drop % page.length]
          if (!made || !victim || victim.id === 1) return
          gone.add(victim.id)
          const answer = await app.call('DELETE', `/users/${victim.id}`, { headers })
          assert.equal(answer.status, 200)
        })
        const ids = seen.map(({ id }) => id)
        assert.equal(new Set(ids).size, ids.length)
        for (const { id } of before) if (!gone.has(id)) assert.ok(ids.includes(id))
      }),
      { numRuns: 15 },
    )
  })

  const begins =
    (text: string) =>
    ({ name, email }: User) =>
      [name, email].some((value) => value.toLowerCase().startsWith(text))
  const searches: readonly [string, (user: User) => boolean][] = [
    ['ann', ({ name }) => /ann/i.test(name)],
    ['ANN', ({ name }) => /ann/i.test(name)],
    ['ÉVA', ({ name }) => /éva/i.test(name)],
    ['STRASSE', ({ name }) => name === 'straße'],
    ['USER3@', ({ email }) => email.startsWith('User3@')],
    // One or two characters: beginnings alone.
    ['%', begins('%')],
    ['_', begins('_')],
    ['\\', begins('\\')],
    ['%%', begins('%%')],
    ["'", begins("'")],
    ['"', begins('"')],
    ['*', begins('*')],
    ['A', begins('a')],
    ['É', begins('é')],
    ['uS', begins('us')],
    ['😀', begins('😀')],
    ['0%', () => false],
    ['00%', ({ name }) => name.includes('00%')],
    ['a_b', ({ name }) => name === 'a_b'],
    ['a\\b', ({ name }) => name === 'a\\b'],
    ["o'n", ({ name }) => name === "o'neil"],
    ['a%b', ({ name }) => name.includes('a%b')],
    ["' or 1=1 --", () => false],
    ['"; drop table users; --', ({ name }) => name.includes('drop table')],
    ['', () => true],
    ['[a-z]', ({ name }) => name.includes('[a-z]')],
  ]
  for (const [q, matches] of searches) {
    test(`T73: q ${JSON.stringify(q)} is plain text, in any case`, async () => {
      const now: User[] = (await read('limit=1000')).body.data
      const { status, body } = await read(`limit=1000&q=${encodeURIComponent(q)}`)
      assert.equal(status, 200)
      assert.deepEqual(body.data, now.filter(matches))
      assert.equal(body.total, body.data.length)
    })
  }

  test('q and cursor go together, and total counts what q finds', async () => {
    const expected = (await read('q=ann&sort=-name&limit=1000')).body
    assert.deepEqual(await walk('q=ann&sort=-name&limit=2'), expected.data)
    assert.equal((await read('q=ann&limit=1')).body.total, expected.total)
  })

  test('q of 200 code points is searched, of 201 or with a NUL is 400', async () => {
    const q = (text: string) => read(`q=${encodeURIComponent(text)}`)
    assert.equal((await q('😀'.repeat(200))).status, 200)
    for (const text of ['😀'.repeat(201), 'a\0b']) {
      const answer = await q(text)
      assert.deepEqual([answer.status, answer.body.error], [400, 'Validation failed'])
      assert.deepEqual(answer.body.details[0].path, ['q'])
    }
  })

  for (const sort of [
    '',
    'ID',
    'password_hash',
    'id;',
    'id desc',
    '--id',
    '-',
    'name,id',
    'name_key',
    '__proto__',
    'constructor',
    "id'",
  ]) {
    test(`T73: sort ${sort || 'empty'} is 400 and never reaches the database`, async () => {
      const answer = await read(`sort=${encodeURIComponent(sort)}`)
      assert.deepEqual([answer.status, answer.body.error], [400, 'Validation failed'])
      assert.deepEqual(answer.body.details[0].path, ['sort'])
    })
  }

  for (const doubled of [
    'page=1&page=2',
    'limit=1&limit=2',
    'q=a&q=b',
    'sort=id&sort=name',
    'cursor=a&cursor=b',
  ]) {
    test(`T72: a parameter sent twice (${doubled}) is no failure of the service`, async () => {
      const { status, body } = await read(doubled)
      assert.ok(status === 200 || status === 400, `${status}`)
      if (status === 400) assert.equal(body.error, 'Validation failed')
    })
  }

  const whole = [2, 'name', 'ann', 5]
  const forged: readonly unknown[] = [
    '',
    'garbage',
    '[]',
    '{}',
    'null',
    '[2,"name","ann",5',
    [2, 'name', 'ann'],
    [2, 'name', 'ann', 5, 6],
    [2, 'id', '', 5],
    [2, '-name', 'ann', 5],
    [2, 'password_hash', 'ann', 5],
    ['2', 'name', 'ann', 5],
    [2, 'name', 5, 5],
    [2, 'name', null, 5],
    [2, 'name', ['ann'], 5],
    [2, 'name', { $gt: '' }, 5],
    [2, 'name', 'ann', '5'],
    [2, 'name', 'ann', '5 or 1=1'],
    [2, 'name', 'ann', 1.5],
    [2, 'name', 'ann', 2 ** 53],
    [2.5, 'name', 'ann', 5],
    [0, 'name', 'ann', 5],
    [-5, 'name', 'ann', 5],
    '[2,"name","\\ud800",5]',
    '[2,"name","a\\u0000b",5]',
    '[2,"name","ann",1e999]',
    '['.repeat(5000),
  ]
  for (const cursor of forged) {
    const shown = (typeof cursor === 'string' ? cursor : JSON.stringify(cursor)).slice(0, 40)
    test(`a cursor that no page gave (${shown}) is 400`, async () => {
      const answer = await read(`sort=name&cursor=${forgeCursor(cursor)}`)
      assert.deepEqual([answer.status, answer.body.error], [400, 'Validation failed'])
      assert.deepEqual(answer.body.details[0].path, ['cursor'])
    })
  }

  test('a forged position shows no more than a page does, with any text and id', async () => {
    let shown = 0
    for (const value of ["' or 1=1 --", '%', '😀'.repeat(500), '', 'zzzz']) {
      for (const id of [1, 7, 2 ** 53 - 1]) {
        const query = `sort=name&limit=5&cursor=${forgeCursor([...whole.slice(0, 2), value, id])}`
        const { status, body } = await read(query)
        assert.equal(status, 200)
        assert.ok(body.data.length <= 5)
        shown += body.data.length
        for (const user of body.data) assert.deepEqual(Object.keys(user), ['id', 'name', 'email'])
      }
    }
    assert.ok(shown > 0, 'a forged position before the users shows some')
  })
})
