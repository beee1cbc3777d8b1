import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import type { User } from '../../src/users/user.ts'
import { testApp } from '../app.ts'
import { forgeCursor, seedUsers } from '../users.ts'

const path = '/api/v2/users'

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

  test('cursor walks visit every user that stays exactly once, whatever comes and goes', async () => {
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

  const searches: readonly [string, (user: User) => boolean][] = [
    ['ann', ({ name }) => /ann/i.test(name)],
    ['ANN', ({ name }) => /ann/i.test(name)],
    ['ÉVA', ({ name }) => /éva/i.test(name)],
    ['STRASSE', ({ name }) => name === 'straße'],
    ['USER3@', ({ email }) => email.startsWith('User3@')],
    ['%', ({ name }) => name.includes('%')],
    ['_', ({ name }) => name.includes('_')],
    ['\\', ({ name }) => name.includes('\\')],
    ['%%', ({ name }) => name.includes('%%')],
    ['a%b', ({ name }) => name.includes('a%b')],
    ["'", ({ name }) => name.includes("'")],
    ["' or 1=1 --", () => false],
    ['"; drop table users; --', ({ name }) => name.includes('drop table')],
    ['😀', ({ name }) => name === '😀'],
    ['', () => true],
    ['*', ({ name, email }) => `${name} ${email}`.includes('*')],
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

  test('a forged position shows no more than a page does, whatever its text and id', async () => {
    for (const value of ["' or 1=1 --", '%', '😀'.repeat(500), '', 'zzzz']) {
      for (const id of [1, 7, 2 ** 53 - 1]) {
        const query = `sort=name&limit=5&cursor=${forgeCursor([...whole.slice(0, 2), value, id])}`
        const { status, body } = await read(query)
        assert.equal(status, 200)
        assert.ok(body.data.length <= 5)
        for (const user of body.data) assert.deepEqual(Object.keys(user), ['id', 'name', 'email'])
      }
    }
  })
})
