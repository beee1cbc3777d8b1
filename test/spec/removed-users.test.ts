// A database makes a difference: what a deletion leaves is cleared by transactions of their own.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { clearPendingDeletion } from '../../src/core/database/pending-deletion.ts'
import { transact } from '../../src/core/database/transactions.ts'
import { tracesOf } from '../../src/core/module/registry.ts'
import { readRows } from '../../src/extras/backup/rows.ts'
import { modules } from '../../src/modules.ts'
import { type Headers, type Someone, type TestApp, testApp } from '../app.ts'

const many = 130

suite('the deletion of a user with very many posts', async () => {
  const app = await testApp()
  const { db } = app.deps
  const headers = await app.bearer(app.admin)
  const ann = await app.account('ann', ['USER', 'EDITOR'])
  const own: Record<string, Headers> = {
    session: await app.session(ann),
    bearer: await app.bearer(ann),
    basic: app.basic(ann),
  }
  await write(app, ann, many)
  const others = await app.account('ben', ['USER'])
  await write(app, others, 1)
  const posts = async () =>
    (await app.call('GET', '/api/posts', { headers })).body as {
      id: number
      author_id: number | null
      author: string | null
    }[]
  const naming = async () =>
    (await db.selectFrom('posts').select('id').where('author_id', '=', ann.userId).execute()).length
  const job = (wanted: string) => app.app.jobs.find(({ name }) => name === wanted)
  const counted = (await app.call('GET', '/users?page=1', { headers })).body.total
  const etags: string[] = []

  test('it answers the user, and right after it nothing shows the user', async () => {
    const answer = await app.call('DELETE', `/users/${ann.userId}`, { headers })
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.body, { id: ann.userId, name: 'ann', email: answer.body.email })
    assert.equal(await naming(), many, 'the posts are not cleared yet')

    const missing = { error: 'User not found' }
    for (const path of [`/users/${ann.userId}`, `/api/v2/users/${ann.userId}`]) {
      const { status, body } = await app.call('GET', path, { headers })
      assert.deepEqual([status, body], [404, missing])
    }
    const all = await app.call('GET', '/users', { headers })
    assert.equal(all.body.length, counted - 1)
    assert.equal(all.headers['x-total-count'], String(counted - 1))
    const found = await app.call('GET', '/api/v2/users?q=ann', { headers })
    assert.deepEqual([found.body.total, found.body.data], [0, []])
    const account = await app.call('GET', '/api/admin/accounts/ann', { headers })
    assert.deepEqual([account.status, account.body], [404, { error: 'Account not found' }])
    for (const [scheme, credential] of Object.entries(own)) {
      assert.equal(
        (await app.call('GET', '/api/posts', { headers: credential })).status,
        401,
        scheme,
      )
    }
    const [first] = await posts()
    for (const post of (await posts()).slice(0, many)) {
      assert.deepEqual([post.author_id, post.author], [null, null])
    }
    assert.deepEqual((await posts()).at(-1)?.author, 'ben')
    const one = await app.call('GET', `/api/posts/${first?.id}`, { headers })
    assert.equal(one.body.author_id, null)
    etags.push(String(one.headers.etag))
  })

  test('neither name nor address stays, nor a row in any table but posts', async () => {
    const row = await db
      .selectFrom('users')
      .selectAll()
      .where('id', '=', ann.userId)
      .executeTakeFirstOrThrow()
    assert.deepEqual([row.name, row.email, row.name_key, row.email_key], ['', '', '', ''])
    for (const { table, column, inSteps } of tracesOf(modules)) {
      if (table === 'leaving_users') continue
      const { rows } = await sql`select 1 from ${sql.table(table)}
        where ${sql.ref(column)} = ${ann.userId}`.execute(db)
      assert.equal(rows.length, inSteps ? many : 0, table)
    }
  })

  test('a change of such a post is one of a post without author', async () => {
    const [, second] = await posts()
    const path = `/api/posts/${second?.id}`
    const { headers: seen } = await app.call('GET', path, { headers })
    const changed = await app.call('PUT', path, {
      headers: { ...headers, 'if-match': String(seen.etag) },
      json: { title: 'Changed' },
    })
    assert.deepEqual([changed.status, changed.body.author_id], [200, null])
  })

  test('the name is free at once, for another user', async () => {
    const next = await app.account('ann', ['USER'])
    assert.notEqual(next.userId, ann.userId)
    assert.equal((await posts())[0]?.author, null)
  })

  test('a backup has the posts without author, and no user that is gone', async () => {
    const table = modules.flatMap(({ tables = [] }) => tables).find(({ name }) => name === 'posts')
    assert.ok(table)
    const authors = new Set<unknown>()
    for await (const { columns, rows } of readRows(db, table)) {
      for (const row of rows) authors.add(row[columns.indexOf('author_id')])
    }
    assert.deepEqual([...authors], [null, others.userId])
  })

  test('the rest is cleared a step at a time, also by another process, and no read changes', async () => {
    const before = await posts()
    await job('dead imports')?.run()
    assert.equal(await naming(), many)
    await transact(db, [], (trx) => clearPendingDeletion(trx, tracesOf(modules), 40))
    assert.equal(await naming(), many - 20)
    assert.deepEqual(await posts(), before)
    const other = await testApp({}, { directory: app.directory })
    await other.app.jobs.find(({ name }) => name === 'removed users')?.run()
    assert.equal(await naming(), 0)
    assert.deepEqual(await posts(), before)
    const [first] = before
    const one = await app.call('GET', `/api/posts/${first?.id}`, { headers })
    assert.deepEqual(etags, [one.headers.etag])
    const users = db.selectFrom('users').select('id').where('id', '=', ann.userId)
    assert.deepEqual(await users.execute(), [])
    assert.deepEqual(await db.selectFrom('imports').selectAll().execute(), [])
    const { body } = await app.call('GET', '/users?page=1', { headers })
    assert.equal(body.total, counted) // the new ann in place of the old one
    await other.close()
  })

  test('a user with few posts is deleted at once', async () => {
    const { status } = await app.call('DELETE', `/users/${others.userId}`, { headers })
    assert.equal(status, 200)
    assert.deepEqual(await db.selectFrom('imports').selectAll().execute(), [])
    const named = db.selectFrom('posts').select('id').where('author_id', 'is not', null)
    assert.deepEqual(await named.execute(), [])
  })
})

async function write({ deps }: TestApp, { userId }: Someone, count: number): Promise<void> {
  const times = { created_at: 0, updated_at: 0 }
  const rows = Array.from({ length: count }, () => ({
    ...{ title: 'T', body: 'B', author_id: userId, ...times },
  }))
  await deps.db.insertInto('posts').values(rows).execute()
}
