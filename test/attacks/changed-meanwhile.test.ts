// A database makes a difference: a row changes between its read and its change.
// A row is read once before it is changed: what changes it in between must be seen.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Database } from '../../src/core/database/database.ts'
import { type Headers, type TestApp, testApp } from '../app.ts'
import { connectTo } from '../database.ts'
import { seedPosts } from '../posts.ts'
import { assertRefusal } from '../refusal.ts'
import { watchedDatabase } from '../watched-database.ts'

let reads: (string | undefined)[] = []
let act: (() => Promise<unknown>) | undefined
let actsAt = ''

/** Done by another connection, as another process would. */
async function other(
  { directory }: Pick<TestApp, 'directory'>,
  change: (db: Database) => { execute(): Promise<unknown> },
): Promise<void> {
  const { db } = await connectTo({ directory })
  await change(db).execute()
  await db.destroy()
}

suite('a row that changes between the read and the change', async () => {
  const app = await testApp(
    {},
    await watchedDatabase(async ({ table }) => {
      reads.push(table)
      if (table !== actsAt) return
      const now = act
      act = undefined
      await now?.()
    }),
  )
  const admin = await app.bearer(app.admin)
  const ann = await app.account('ann', ['EDITOR'])
  const call = (method: string, path: string, headers: Headers, json?: object) =>
    app.call(method, path, { headers: { ...admin, ...headers }, ...(json && { json }) })
  const etagOf = async (path: string) => String((await call('GET', path, {})).headers.etag)
  /** Acts behind the first read of the table, which must be there. */
  async function meanwhile(table: string, change: Parameters<typeof other>[1]) {
    await call('GET', '/api/me', {}) // what a first look costs is over
    reads = []
    actsAt = table
    act = () => other(app, change)
  }
  const newUser = async () => {
    const json = { name: 'Ann', email: 'ann@example.org' }
    return (await call('POST', '/users', {}, json)).body.id as number
  }
  const newPost = async () => {
    const [id = 0] = await seedPosts(app, 1, { authorId: ann.userId, title: 'On doors' })
    return id
  }
  const things = {
    users: {
      make: newUser,
      path: (id: number) => `/users/${id}`,
      wanted: { name: 'Wanted' },
      change: (id: number) => (db: Database) =>
        db.updateTable('users').set({ email: 'new@example.org' }).where('id', '=', id),
      undo: (id: number) => (db: Database) =>
        db.updateTable('users').set({ email: 'old@example.org' }).where('id', '=', id),
      merged: { name: 'Wanted', email: 'new@example.org' },
    },
    posts: {
      make: newPost,
      path: (id: number) => `/api/posts/${id}`,
      wanted: { title: 'Wanted' },
      change: (id: number) => (db: Database) =>
        db.updateTable('posts').set({ body: 'New' }).where('id', '=', id),
      undo: (id: number) => (db: Database) =>
        db.updateTable('posts').set({ body: 'Old' }).where('id', '=', id),
      merged: { title: 'Wanted', body: 'New' },
    },
  } as const
  const rowOf = (table: 'users' | 'posts', id: number) =>
    app.deps.db.selectFrom(table).selectAll().where('id', '=', id).executeTakeFirst()
  const readsOf = (table: string) => reads.filter((name) => name === table).length

  for (const table of ['users', 'posts'] as const) {
    const { change, make, merged, path, undo, wanted } = things[table]

    for (const method of ['PUT', 'DELETE'] as const) {
      test(`${table}: ${method} reads its row once before the change, with If-Match as well`, async () => {
        for (const isConditional of [false, true]) {
          const where = path(await make())
          const headers: Headers = isConditional ? { 'if-match': await etagOf(where) } : {}
          reads = []
          const answer = await call(method, where, headers, method === 'PUT' ? wanted : undefined)
          assert.equal(answer.status, 200)
          assert.equal(readsOf(table), 1)
        }
      })

      test(`${table}: ${method} with If-Match is 412 and changes nothing`, async () => {
        const id = await make()
        const seen = { 'if-match': await etagOf(path(id)) }
        await meanwhile(table, change(id))
        const answer = await call(method, path(id), seen, method === 'PUT' ? wanted : undefined)
        assertRefusal(answer, 412, 'Precondition failed')
        assert.equal(act, undefined)
        assert.equal(readsOf(table), 2)
        const shown = await call('GET', path(id), {})
        assert.deepEqual({ ...shown.body, ...merged, ...pick(shown.body, wanted) }, shown.body)
      })

      test(`${table}: ${method} with the ETag of what it has become is 200`, async () => {
        const id = await make()
        await change(id)(app.deps.db).execute()
        const becomes = { 'if-match': await etagOf(path(id)) }
        await undo(id)(app.deps.db).execute()
        await meanwhile(table, change(id))
        const answer = await call(method, path(id), becomes, method === 'PUT' ? wanted : undefined)
        assert.equal(answer.status, 200, answer.text)
        assert.equal(act, undefined)
      })
    }

    test(`${table}: PUT without If-Match changes what is there by then`, async () => {
      const id = await make()
      await meanwhile(table, change(id))
      const answer = await call('PUT', path(id), {}, wanted)
      assert.equal(answer.status, 200)
      assert.equal(act, undefined)
      assert.deepEqual({ ...answer.body, ...merged }, answer.body)
      assert.deepEqual((await call('GET', path(id), {})).body, answer.body)
    })

    test(`${table}: DELETE without If-Match answers what was there by then`, async () => {
      const id = await make()
      await meanwhile(table, change(id))
      const { status, body } = await call('DELETE', path(id), {})
      assert.equal(status, 200)
      assert.equal(act, undefined)
      const { name, title, ...changed } = merged as Record<string, string>
      assert.deepEqual({ ...body, ...changed }, body)
      assert.equal(await rowOf(table, id), undefined)
    })

    for (const method of ['PUT', 'DELETE'] as const) {
      test(`${table}: ${method} of what is gone by then is 404`, async () => {
        for (const isConditional of [false, true]) {
          const id = await make()
          const headers: Headers = isConditional ? { 'if-match': await etagOf(path(id)) } : {}
          await meanwhile(table, (db) => db.deleteFrom(table).where('id', '=', id))
          const json = method === 'PUT' ? wanted : undefined
          const answer = await call(method, path(id), headers, json)
          const missing = table === 'users' ? 'User not found' : 'Post not found'
          assertRefusal(answer, 404, missing)
          assert.equal(act, undefined)
        }
      })
    }
  }

  test('a user with an account: a DELETE that is 412 leaves account, tokens and sessions', async () => {
    const bob = await app.account('bob')
    const session = await app.session(bob)
    const path = `/users/${bob.userId}`
    const seen = { 'if-match': await etagOf(path) }
    await meanwhile('users', (db) =>
      db.updateTable('users').set({ name: 'Robert' }).where('id', '=', bob.userId),
    )
    const events = () => app.log.filter(({ event }) => event === 'user_deleted').length
    const told = events()
    assertRefusal(await call('DELETE', path, seen), 412, 'Precondition failed')
    assert.equal(events(), told)
    assert.equal((await app.call('GET', '/api/protected', { headers: session })).status, 200)
    assert.equal((await app.call('GET', '/users/1', { headers: app.basic(bob) })).status, 200)
  })

  test('a post whose author has lost the account by then: 412 with If-Match, for lock and change', async () => {
    for (const [method, pathOf] of [
      ['PUT', (id: number) => `/api/posts/${id}`],
      ['DELETE', (id: number) => `/api/posts/${id}`],
      ['PUT', (id: number) => `/api/admin/posts/${id}/lock`],
      ['DELETE', (id: number) => `/api/admin/posts/${id}/lock`],
    ] as const) {
      const author = await app.account('author', ['EDITOR'])
      const [id = 0] = await seedPosts(app, 1, { authorId: author.userId })
      const seen = { 'if-match': await etagOf(`/api/posts/${id}`) }
      await meanwhile('posts', (db) =>
        db.deleteFrom('accounts').where('user_id', '=', author.userId),
      )
      const json = method === 'PUT' && !pathOf(id).includes('admin') ? { title: 'x' } : undefined
      assertRefusal(await call(method, pathOf(id), seen, json), 412, 'Precondition failed')
      assert.equal(act, undefined)
      const row = await rowOf('posts', id)
      assert.deepEqual(row && [(row as { locked: number }).locked], [0])
    }
  })

  test("the last administrator's user under an old tag: 412 comes before 409", async () => {
    const { userId } = app.admin
    const row = await rowOf('users', userId)
    const old = await call('DELETE', `/users/${userId}`, { 'if-match': '"old"' })
    assertRefusal(old, 412, 'Precondition failed')
    const seen = { 'if-match': await etagOf(`/users/${userId}`) }
    assertRefusal(await call('DELETE', `/users/${userId}`, seen), 409, 'Last administrator')
    assert.deepEqual(await rowOf('users', userId), row)
  })

  test('a lock is set on the post as it is by then', async () => {
    const id = await newPost()
    await meanwhile('posts', things.posts.change(id))
    const answer = await call('PUT', `/api/admin/posts/${id}/lock`, {})
    assert.deepEqual([answer.status, answer.body.locked, answer.body.body], [200, true, 'New'])
    assert.deepEqual((await call('GET', `/api/posts/${id}`, {})).body, answer.body)
  })
})

/** The fields of `from` that `like` has. */
function pick(from: Record<string, unknown>, like: object): object {
  return Object.fromEntries(Object.keys(like).map((name) => [name, from[name]]))
}
