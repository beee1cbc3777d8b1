// A database makes a difference: search and order are made by statements of its own.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { User } from '../../src/modules/users/user.ts'
import { testApp } from '../app.ts'
import { assertRefusal } from '../refusal.ts'
import { seedUsers } from '../users.ts'

suite('spec 4.2 and 9: GET /api/v2/users', async () => {
  const app = await testApp()
  const names = ['Zoë', 'ann', 'Bob', 'Ann', 'éva']
  await seedUsers(app, 1100, (index) => ({
    name: names[index % names.length] ?? '',
    email: `User${index}@example.org`,
  }))
  const headers = await app.bearer(app.admin)
  const read = (query: string) => app.call('GET', `/api/v2/users?${query}`, { headers })
  const total = 1101

  test('the list is always an envelope, and next leads on from it', async () => {
    const { status, body } = await read('')
    assert.equal(status, 200)
    const { data, next, ...rest } = body
    assert.deepEqual(rest, { page: 1, limit: 10, total })
    assert.deepEqual(
      data.map(({ id }: User) => id),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    )
    assert.equal(typeof next, 'string')
  })

  test('page and limit choose the slice; garbage is the default', async () => {
    const { body } = await read('page=3&limit=4')
    assert.deepEqual(
      body.data.map(({ id }: User) => id),
      [9, 10, 11, 12],
    )
    const garbage = await read('page=x&limit=0')
    assert.deepEqual([garbage.body.page, garbage.body.limit], [1, 10])
    const past = await read('page=9999')
    assert.deepEqual(past.body, { page: 9999, limit: 10, total, data: [], next: null })
  })

  test('the limit is at most 1000, and the envelope shows the limit in force', async () => {
    for (const limit of ['1000', '1001', '9007199254740991']) {
      const { body } = await read(`limit=${limit}`)
      assert.deepEqual([body.limit, body.data.length], [1000, 1000])
    }
  })

  test('cursor goes through all users once, in the order asked for', async () => {
    for (const sort of ['id', '-id', 'name', '-name', 'email', '-email']) {
      const seen: number[] = []
      let cursor = ''
      for (let page = 1; page <= 2; page += 1) {
        const { status, body } = await read(`sort=${sort}&limit=1000${cursor}`)
        assert.deepEqual([status, body.page, body.total], [200, page, total])
        seen.push(...body.data.map(({ id }: User) => id))
        cursor = `&cursor=${body.next}`
        assert.equal(body.next === null, page === 2)
      }
      assert.equal(new Set(seen).size, total, sort)
    }
  })

  test('sort is by id, name or email in any case, descending with a minus', async () => {
    const first = async (sort: string) => (await read(`sort=${sort}&limit=1`)).body.data[0]
    assert.equal((await first('id')).id, 1)
    assert.equal((await first('-id')).id, total)
    assert.equal((await first('name')).name, 'Administrator')
    assert.equal((await first('-name')).name, 'éva')
    assert.equal((await first('-email')).email, 'User9@example.org')
  })

  test('q searches in name and email, in any case; total counts what it finds', async () => {
    for (const [q, count] of [
      ['ANN', 440],
      ['ÉVA', 220],
      ['user1099@', 1],
      ['nobody', 0],
      ['%', 0],
    ] as const) {
      const { body } = await read(`q=${encodeURIComponent(q)}&limit=1000`)
      assert.deepEqual([body.total, body.data.length], [count, count], q)
    }
  })

  test('one or two characters search what name or e-mail begins with', async () => {
    for (const [q, count] of [
      ['a', 441], // the Administrator too
      ['N', 0],
      ['É', 220],
      ['us', 1100],
      ['se', 0],
    ] as const) {
      const { body } = await read(`q=${encodeURIComponent(q)}&limit=1000`)
      assert.equal(body.total, Math.min(count, 1001), q)
    }
  })

  test('the total of a search is exact up to 1,000; 1,001 stands for more, and nothing is cut', async () => {
    assert.equal((await read('q=user1&limit=1')).body.total, 211)
    for (const sort of ['id', '-id', 'name', '-name', 'email', '-email']) {
      const all = `sort=${sort}&limit=1000`
      const [first, second] = [await read(all), await read(`${all}&page=2`)]
      const found = [...first.body.data, ...second.body.data].filter(({ id }: User) => id > 1)
      const one = await read(`q=@example.org&${all}`)
      const two = await read(`q=@example.org&${all}&page=2`)
      const next = await read(`q=@example.org&${all}&cursor=${one.body.next}`)
      assert.deepEqual([one.body.total, two.body.total], [1001, 1001], sort)
      assert.deepEqual([...one.body.data, ...two.body.data], found, sort)
      assert.deepEqual(next.body, two.body)
      assert.equal(two.body.next, null)
      const past = await read(`q=@example.org&sort=${sort}&page=9007199254740991&limit=1000`)
      assert.deepEqual([past.body.total, past.body.data, past.body.next], [1001, [], null])
    }
  })

  test('1,000 that match are counted to the last, and so are 1,001', async () => {
    const gone = (await read('q=@example.org&sort=-id&limit=100')).body.data
    for (const { id } of gone.slice(0, 99)) await app.call('DELETE', `/users/${id}`, { headers })
    assert.equal((await read('q=@example.org&sort=name')).body.total, 1001)
    await app.call('DELETE', `/users/${gone[99].id}`, { headers })
    for (const sort of ['id', 'name']) {
      const { body } = await read(`q=@example.org&sort=${sort}&limit=1000`)
      assert.deepEqual([body.total, body.data.length, body.next], [1000, 1000, null])
    }
  })

  for (const [query, path, message] of [
    ['sort=password', 'sort', 'must be one of id, name, email, or one with a minus'],
    ['cursor=nonsense', 'cursor', 'must be the `next` of a page'],
    [`q=${'x'.repeat(201)}`, 'q', 'must have at most 200 characters'],
    ['q=a&q=b', 'q', 'must be given once'],
  ] as const) {
    test(`${query.slice(0, 20)} is a violation`, async () => {
      const details = [{ path: [path], message }]
      assertRefusal(await read(query), 400, 'Validation failed', '', { details })
    })
  }

  test('a cursor of another sort is a violation', async () => {
    const { next } = (await read('sort=name')).body
    assertRefusal(await read(`sort=email&cursor=${next}`), 400, 'Validation failed', '', {
      details: [{ path: ['cursor'], message: 'belongs to another `sort`' }],
    })
  })
})
