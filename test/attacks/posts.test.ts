import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { Database } from '../../src/core/database/database.ts'
import { type Answer, type Headers, type TestApp, testApp } from '../app.ts'
import { connectTo } from '../database.ts'
import { seedPosts } from '../posts.ts'
import { assertRefusal } from '../refusal.ts'
import { watchedDatabase } from '../watched-database.ts'

const title = 'On doors'

suite('posts: what a body may hold', async () => {
  const app = await testApp()
  const headers = await app.bearer(app.admin)
  const raw = (method: string, path: string, body: string) =>
    app.call(method, path, { headers: { ...headers, 'content-type': 'application/json' }, body })
  const [target = 0] = await seedPosts(app, 1)
  const ways = [
    ['POST', '/api/posts', 201],
    ['PUT', `/api/posts/${target}`, 200],
  ] as const

  const texts: readonly [string, string, boolean][] = [
    ['1 code point', 'a', true],
    ['200 code points', 'n'.repeat(200), true],
    ['200 emoji of two units', '😀'.repeat(200), true],
    ['200 code points of combining marks', 'é'.normalize('NFD').repeat(100), true],
    ['201 code points', 'n'.repeat(201), false],
    ['201 emoji', '😀'.repeat(201), false],
    ['no character', '', false],
    ['markup and quotes', `<script>'); drop table posts;--"</script>`, true],
    ['a NUL', 'a\0b', false],
    ['a high surrogate alone', '\ud800', false],
    ['a low surrogate alone', 'a\udc00b', false],
  ]
  for (const [what, text, isTaken] of texts) {
    test(`T71: a title of ${what} is ${isTaken ? 'stored as it came' : '400'}`, async () => {
      for (const [method, path, status] of ways) {
        const before = await app.rows()
        const answer = await raw(method, path, JSON.stringify({ title: text }))
        if (isTaken) assert.deepEqual([answer.status, answer.body.title], [status, text])
        else await assertRefused(answer, 'title', before)
      }
    })
  }

  const bodies: readonly [string, string, boolean][] = [
    ['no character', '', true],
    ['20,000 code points', 'b'.repeat(20_000), true],
    ['20,000 emoji', '😀'.repeat(20_000), true],
    ['lines, tabs and the right-to-left override', 'a\r\n\tb\u202e', true],
    ['20,001 code points', 'b'.repeat(20_001), false],
    ['20,001 emoji', '😀'.repeat(20_001), false],
    ['a megabyte less a little', 'b'.repeat(1_000_000), false],
    ['a NUL', 'a\0', false],
    ['surrogates the wrong way round', '\udc00\ud800', false],
  ]
  for (const [what, text, isTaken] of bodies) {
    test(`T71: a body of ${what} is ${isTaken ? 'stored as it came' : '400'}`, async () => {
      for (const [method, path, status] of ways) {
        const before = await app.rows()
        const answer = await raw(method, path, JSON.stringify({ title, body: text }))
        if (isTaken) assert.deepEqual([answer.status, answer.body.body], [status, text])
        else await assertRefused(answer, 'body', before)
      }
    })
  }

  for (const value of [5, true, null, ['a'], {}, [null]]) {
    test(`T70: nothing is coerced: title and body ${JSON.stringify(value)} are 400`, async () => {
      for (const [method, path] of ways) {
        for (const field of ['title', 'body']) {
          const before = await app.rows()
          const answer = await raw(method, path, JSON.stringify({ title, [field]: value }))
          await assertRefused(answer, field, before)
        }
      }
    })
  }

  async function assertRefused(answer: Answer, field: string, before: object) {
    assert.deepEqual([answer.status, answer.body.error], [400, 'Validation failed'], answer.text)
    for (const { path } of answer.body.details) assert.deepEqual(path, [field])
    assert.deepEqual(await app.rows(), before)
  }

  test('T76: author_id, locked and all else that is the server’s is never taken from a body', async () => {
    const ann = await app.account('ann', ['EDITOR'])
    const extra = {
      id: 777_777,
      author_id: ann.userId,
      authorId: ann.userId,
      author: 'ann',
      locked: true,
      created_at: '2000-01-01T00:00:00.000Z',
      updated_at: 0,
      nested: { locked: true },
    }
    const { body: post, status } = await app.call('POST', '/api/posts', {
      headers,
      json: { ...extra, title },
    })
    const now = new Date(app.clock.now()).toISOString()
    const times = { created_at: now, updated_at: now }
    const expected = {
      ...{ id: target, title, body: '', author_id: 1, author: 'admin', locked: false },
      ...times,
    }
    assert.deepEqual([status, post], [201, { ...expected, id: post.id }])
    assert.notEqual(post.id, extra.id)
    const path = `/api/posts/${post.id}`
    const before = await app.rows()
    const answer = await app.call('PUT', path, { headers, json: extra })
    assert.deepEqual([answer.status, answer.body], [200, post])
    assert.deepEqual(await app.rows(), before)
    await app.call('PUT', `/api/admin${path.slice(4)}/lock`, { headers })
    const kept = await app.call('PUT', path, { headers, json: { ...extra, locked: false } })
    assert.deepEqual([kept.status, kept.body], [200, { ...post, locked: true }])
  })
})

suite('posts: whose they are', async () => {
  const app = await testApp()
  const ann = await app.account('ann', ['EDITOR'])
  const eve = await app.account('eve', ['USER', 'EDITOR'])
  const bearer = {
    ann: await app.bearer(ann),
    eve: await app.bearer(eve),
    admin: await app.bearer(app.admin),
  }
  const [first = 0] = await seedPosts(app, 1, { authorId: ann.userId })

  const noIds = [
    ...['0', '-1', '+1', '1e0', '0x1', '1.0', '1.5', '1%00', '%001', '1%20', '%EF%BC%91', '1;x=1'],
    ...['1,2', 'NaN', 'null', "1'--", '1%20or%201=1', '__proto__', '9007199254740993'],
    ...['18446744073709551617', '4294967297', '1'.repeat(4000)],
  ]
  test('T78: an id that is no positive integer is 404 by every method and touches no row', async () => {
    const before = await app.rows()
    for (const id of noIds) {
      for (const [method, path] of [
        ['GET', `/api/posts/${id}`],
        ['PUT', `/api/posts/${id}`],
        ['DELETE', `/api/posts/${id}`],
        ['PUT', `/api/admin/posts/${id}/lock`],
        ['DELETE', `/api/admin/posts/${id}/lock`],
      ] as const) {
        const json = method === 'PUT' ? { json: { title: 'taken over' } } : {}
        const answer = await app.call(method, path, { headers: bearer.admin, ...json })
        assertRefusal(answer, 404, 'Post not found', `${method} ${path.slice(0, 40)}`)
      }
    }
    assert.deepEqual(await app.rows(), before)
  })

  test('T78: 01 and %31 are the post 1 for the rule as well as for the row', async () => {
    assert.equal(first, 1)
    const before = await app.rows()
    for (const id of ['1', '01', '%31', '0000000000000001']) {
      for (const [method, path] of [
        ['PUT', `/api/posts/${id}`],
        ['DELETE', `/api/posts/${id}`],
        ['PUT', `/api/admin/posts/${id}/lock`],
      ] as const) {
        const call = { headers: bearer.eve, json: { title: 'taken over' } }
        assertRefusal(await app.call(method, path, call), 403, 'Access denied', path)
      }
    }
    assert.deepEqual(await app.rows(), before)
    for (const id of ['01', '%31']) {
      const answer = await app.call('PUT', `/api/posts/${id}`, {
        headers: bearer.ann,
        json: { title: id },
      })
      assert.deepEqual([answer.status, answer.body.id, answer.body.title], [200, 1, id])
    }
  })

  test('the id of a deleted post is never given again', async () => {
    const [last = 0] = await seedPosts(app, 1)
    await app.call('DELETE', `/api/posts/${last}`, { headers: bearer.admin })
    const { body } = await app.call('POST', '/api/posts', { headers: bearer.ann, json: { title } })
    assert.ok(body.id > last)
  })

  test('an author who is deleted while creating is 401, and no post is left', async () => {
    let armed = false
    let isGone = false
    const watched = await watchedDatabase(async ({ table }) => {
      // The last read before the transaction: whether the session is one.
      if (table !== 'sessions' || isGone || !armed) return
      isGone = true
      await other(race, (db) => db.deleteFrom('users').where('id', '=', guest.userId))
    })
    const race: TestApp = await testApp({}, watched)
    const guest = await race.account('guest', ['EDITOR'])
    const headers = await race.session(guest)
    armed = true
    const answer = await race.call('POST', '/api/posts', { headers, json: { title } })
    assert.ok(isGone)
    assertRefusal(answer, 401, 'Authentication required')
    assert.deepEqual((await race.rows()).posts, [])
    await race.close()
  })
})

suite('T79: a lock while updating', async () => {
  test('a lock that lands after the rule was asked wins over an ADMIN, not over the author', async () => {
    let lockNow: (() => Promise<void>) | undefined
    const app: TestApp = await testApp(
      {},
      await watchedDatabase(async ({ table }) => {
        if (table !== 'posts') return
        const now = lockNow
        lockNow = undefined
        await now?.()
      }),
    )
    const ann = await app.account('ann', ['EDITOR'])
    const callers: readonly [Headers, number][] = [
      [await app.bearer(app.admin), 403],
      [await app.bearer(ann), 200],
    ]
    for (const [headers, status] of callers) {
      const [id = 0] = await seedPosts(app, 1, { authorId: ann.userId, title })
      lockNow = () => lock(app, id)
      const answer = await app.call('PUT', `/api/posts/${id}`, { headers, json: { title: 'New' } })
      assert.equal(lockNow, undefined)
      if (status === 403) assertRefusal(answer, 403, 'Access denied')
      assert.equal(answer.status, status)
      assert.deepEqual(await stored(app, id), { title: status === 200 ? 'New' : title, locked: 1 })
    }
    await app.close()
  })

  test('a delete whose post has got another owner meanwhile is 403, and a deleted one 404', async () => {
    let act: (() => Promise<void>) | undefined
    const app: TestApp = await testApp(
      { POSTS_DELETE_POLICY: 'owner' },
      await watchedDatabase(async ({ table }) => {
        if (table !== 'posts') return
        const now = act
        act = undefined
        await now?.()
      }),
    )
    const ann = await app.account('ann', ['EDITOR'])
    const headers = await app.bearer(ann)
    for (const [change, status, error] of [
      [{ author_id: null }, 403, 'Access denied'],
      [null, 404, 'Post not found'],
    ] as const) {
      for (const method of ['DELETE', 'PUT'] as const) {
        const [id = 0] = await seedPosts(app, 1, { authorId: ann.userId, title })
        act = () =>
          other(app, (db) =>
            change
              ? db.updateTable('posts').set(change).where('id', '=', id)
              : db.deleteFrom('posts').where('id', '=', id),
          )
        const more = method === 'PUT' ? { json: { title: 'New' } } : {}
        const answer = await app.call(method, `/api/posts/${id}`, { headers, ...more })
        assertRefusal(answer, status, error, method)
        const row = await stored(app, id)
        assert.equal(row?.title, status === 403 ? title : undefined)
      }
    }
    await app.close()
  })

  test('100 times at once, over two processes: no title changes behind a lock', async () => {
    const app = await testApp()
    const twin = await testApp({}, { directory: app.directory })
    const ann = await app.account('ann', ['EDITOR'])
    const admin = await app.bearer(app.admin)
    const author = await app.bearer(ann)
    const ids = await seedPosts(app, 100, { authorId: ann.userId, title })
    for (const [round, id] of ids.entries()) {
      const update = async (headers: Headers, text: string, turns: number) => {
        for (let turn = 0; turn < turns; turn += 1) await setImmediate()
        return app.call('PUT', `/api/posts/${id}`, { headers, json: { title: text } })
      }
      const [changed, locked] = await Promise.all([
        update(admin, 'by an ADMIN', round % 5),
        twin.call('PUT', `/api/admin/posts/${id}/lock`, { headers: admin }),
      ])
      assert.deepEqual([locked.status, locked.body.locked], [200, true])
      // What an answer shows is the post as its own transaction left it.
      if (changed.status === 200) assert.equal(changed.body.locked, false)
      else assertRefusal(changed, 403, 'Access denied')
      const expected = changed.status === 200 ? 'by an ADMIN' : title
      assert.deepEqual(await stored(app, id), { title: expected, locked: 1 })
      if (changed.status === 403) assert.equal(locked.body.title, title)
      assertRefusal(await update(admin, 'too late', 0), 403, 'Access denied')
      assert.equal((await update(author, 'by the author', 0)).status, 200)
      assert.deepEqual(await stored(app, id), { title: 'by the author', locked: 1 })
    }
    await twin.app.server.close()
    await app.close()
  })
})

suite('posts: large lists', async () => {
  const app = await testApp()
  const headers = await app.bearer(app.admin)
  const ids = await seedPosts(app, 2500)

  test('2,500 posts are one valid JSON array in id order, in batches', async () => {
    const answer = await app.call('GET', '/api/posts', { headers })
    assert.deepEqual(
      answer.body.map(({ id }: { id: number }) => id),
      ids,
    )
    assert.equal(answer.body[1234].body, '"Body"\\ 😀 1234')
  })

  test('a deep page and one larger than a batch are the slices that they name', async () => {
    for (const [page, limit] of [
      [250, 10],
      [2, 2000],
      [3, 999],
    ] as const) {
      const { body } = await app.call('GET', `/api/posts?page=${page}&limit=${limit}`, { headers })
      assert.deepEqual(
        body.data.map(({ id }: { id: number }) => id),
        ids.slice((page - 1) * limit, page * limit),
      )
    }
  })
})

/** Done by another connection, as another process would. */
async function other(
  { directory }: Pick<TestApp, 'directory'>,
  change: (db: Database) => { execute(): Promise<unknown> },
): Promise<void> {
  const { db } = await connectTo({ directory })
  await change(db).execute()
  await db.destroy()
}

function lock(app: TestApp, id: number): Promise<void> {
  return other(app, (db) => db.updateTable('posts').set({ locked: 1 }).where('id', '=', id))
}

async function stored({ deps }: TestApp, id: number) {
  const row = await deps.db
    .selectFrom('posts')
    .select(['title', 'locked'])
    .where('id', '=', id)
    .executeTakeFirst()
  return row && { ...row }
}
