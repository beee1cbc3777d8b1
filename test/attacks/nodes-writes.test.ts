// A database makes a difference: two processes write to it.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Answer, type TestApp, testApp } from '../app.ts'
import { tally } from '../logins.ts'
import { seedPosts } from '../posts.ts'
import { importLines, line, someHash } from '../transfer.ts'

suite('R14: two nodes that write the same things', async () => {
  const one = await testApp()
  const two = await testApp({}, { directory: one.directory, clock: one.clock })
  const headers = await one.bearer(one.admin)
  const crowd = (count: number, call: (node: TestApp, index: number) => Promise<Answer>) =>
    Promise.all(Array.from({ length: count }, (_, n) => call(n % 2 ? two : one, n)))

  test('an Idempotency-Key that both get at once is done once', async () => {
    const json = { name: 'Once', email: 'once@example.org' }
    const answers = await crowd(20, (node) =>
      node.call('POST', '/users', { headers: { ...headers, 'idempotency-key': 'both' }, json }),
    )
    assert.deepEqual(tally(answers), { 201: 20 })
    assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1)
  })

  test('of changes with one ETag one is made, and one without it is never overwritten', async () => {
    const json = { name: 'Tag', email: 'tag@example.org' }
    const [post = 0] = await seedPosts(one, 1)
    const { body } = await one.call('POST', '/users', { headers, json })
    for (const [path, field] of [
      [`/users/${body.id}`, 'name'],
      [`/api/posts/${post}`, 'title'],
    ] as const) {
      const { etag } = (await one.call('GET', path, { headers })).headers
      const conditional = { ...headers, 'if-match': String(etag) }
      const answers = await crowd(20, (node, n) =>
        node.call('PUT', path, {
          headers: n === 7 ? headers : conditional,
          json: { [field]: `by ${n}` },
        }),
      )
      const free = answers[7]
      assert.equal(free?.status, 200)
      const won = answers.filter(({ status }) => status === 200)
      assert.ok(won.length <= 2 && answers.every(({ status }) => status === 200 || status === 412))
      assert.equal((await two.call('GET', path, { headers })).body[field], 'by 7')
    }
  })

  test('a user who is deleted while posting leaves posts without an author, and no 5xx', async () => {
    for (let round = 0; round < 5; round += 1) {
      const ann = await one.account(`poster${round}`, ['EDITOR'])
      const own = await one.bearer(ann)
      const answers = await crowd(12, (node, n) =>
        n === 5
          ? node.call('DELETE', `/users/${ann.userId}`, { headers })
          : node.call('POST', '/api/posts', { headers: own, json: { title: `of ${round}` } }),
      )
      for (const { status } of answers)
        assert.ok([200, 201, 401, 403].includes(status), `${status}`)
      const posts = await one.deps.db
        .selectFrom('posts')
        .select('author_id')
        .where('title', '=', `of ${round}`)
        .execute()
      assert.equal(posts.length, answers.filter(({ status }) => status === 201).length)
      assert.ok(posts.every(({ author_id }) => author_id === null))
    }
  })

  test('an import whose name is taken meanwhile, at the other node, is all there or not at all', async () => {
    for (let round = 0; round < 12; round += 1) {
      const names = Array.from({ length: 30 }, (_, n) => `crowd${round}n${n}`)
      const taken = names[29] ?? ''
      const account = { username: taken, roles: [], name: 'T', email: 't@example.org' }
      const made = async () => {
        for (let turn = 0; turn < round * 4; turn += 1) {
          await new Promise((resolve) => setImmediate(resolve))
        }
        const json = { ...account, password: 'quiet melons roll' }
        return two.call('POST', '/api/admin/accounts', { headers, json })
      }
      const [imported, created] = await Promise.all([
        importLines(
          one,
          headers,
          names.map((name) => line(name)),
        ),
        made(),
      ])
      const rows = await one.deps.db
        .selectFrom('accounts')
        .innerJoin('passwords', 'passwords.account', 'accounts.user_id')
        .select(['username', 'hash'])
        .where('username', 'in', names)
        .execute()
      const isDone = imported.status === 200
      assert.equal(rows.length, isDone ? 30 : 1, `${imported.status} ${imported.text}`)
      assert.equal(created.status, isDone ? 409 : 201)
      const row = rows.find(({ username }) => username === taken)
      assert.equal(row?.hash === someHash, isDone)
    }
  })

  test('two imports at two nodes that want the same names: one has them, all of them', async () => {
    for (let round = 0; round < 4; round += 1) {
      const names = Array.from({ length: 40 }, (_, n) => `same${round}n${n}`)
      const answers = await crowd(2, (node, n) =>
        importLines(
          node,
          headers,
          (n ? names.toReversed() : names).map((name) => line(name)),
        ),
      )
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 400])
    }
  })

  test('the totals are those of the rows, after all of this', async () => {
    for (const table of ['users', 'posts'] as const) {
      const { length } = await one.deps.db.selectFrom(table).select('id').execute()
      const path = table === 'users' ? '/users?limit=1' : '/api/posts?limit=1'
      for (const node of [one, two]) {
        assert.equal((await node.call('GET', path, { headers })).body.total, length, path)
      }
    }
    const { imports, import_names } = await one.rows()
    assert.deepEqual([imports, import_names], [[], []])
  })
})
