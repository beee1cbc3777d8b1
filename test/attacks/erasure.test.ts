// A database makes a difference: short transactions, locks, and what others wait for.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { type TestApp, testApp } from '../app.ts'
import { verified } from '../audit-log.ts'
import { recordSeeder } from '../audit-records.ts'
import { verifyAddress } from '../mail.ts'
import { seedPosts } from '../posts.ts'
import { line, ndjson } from '../transfer.ts'

const run = async ({ app }: TestApp, name: string) => {
  await app.jobs.find((job) => job.name === name)?.run()
}

/** How many rows of the audit log an index finds. */
const indexed = async ({ deps }: TestApp, index: string) => {
  const { rows } = await sql<{ total: number }>`
    select count(*) as total from audit_records
    where actor_index = ${index} or target_index = ${index}`.execute(deps.db)
  return Number(rows[0]?.total)
}

suite('the erasure of a person with very much', async () => {
  const app = await testApp()
  const headers = await app.bearer(app.admin)
  const ann = await app.account('ann', ['USER', 'EDITOR'])
  await seedPosts(app, 3000, { authorId: ann.userId })
  const { seed } = await recordSeeder(app.deps)
  const records = Array.from({ length: 3000 }, (_, index) => ({
    type: 'seeded',
    at: app.clock.now() - index,
    actor: { subject: String(ann.userId), username: 'ann', address: '203.0.113.9' },
  }))
  for (let from = 0; from < records.length; from += 500) await seed(records.slice(from, from + 500))
  const { rows } = await sql<{ actor_index: string }>`
    select actor_index from audit_records where type = 'seeded' limit 1`.execute(app.deps.db)
  const [{ actor_index: index } = { actor_index: '' }] = rows

  test('the transaction touches none of the records, and each step few', async () => {
    assert.equal(await indexed(app, index), 3000)
    const { status } = await app.call('DELETE', `/users/${ann.userId}`, { headers })
    assert.equal(status, 200)
    assert.equal(await indexed(app, index), 3000)
    const { body } = await app.call('GET', `/api/admin/audit?actor=${ann.userId}`, { headers })
    assert.deepEqual(body.data, [])
  })

  test('other requests go on while a job empties them, and all of it is done in the end', async () => {
    let isDone = false
    const job = run(app, 'erasures').then(() => {
      isDone = true
    })
    const json = { name: 'Other', email: 'other@example.org' }
    let between = 0
    while (!isDone) {
      const { status } = await app.call('POST', '/users', { headers, json })
      assert.equal(status, 201)
      if (!isDone) between += 1
    }
    await job
    assert.ok(between >= 3, `${between} changes were committed between the steps`)
    assert.equal(await indexed(app, index), 0)
    await run(app, 'removed users')
    const posts = await app.deps.db
      .selectFrom('posts')
      .select('id')
      .where('author_id', '=', ann.userId)
      .execute()
    assert.deepEqual(posts, [])
  })
})

suite('an erasure beside other things under way', async () => {
  const app = await testApp()
  const headers = await app.bearer(app.admin)
  const keyOf = async (userId: number) =>
    app.deps.db
      .selectFrom('audit_subjects')
      .select('subject')
      .where('subject', '=', String(userId))
      .executeTakeFirst()

  test('a told refusal that waits in memory brings no key back', async () => {
    const ben = await app.account('ben')
    await app.call('POST', '/login', { json: { username: 'ben', password: 'wrong' } })
    const [answer] = await Promise.all([
      app.call('DELETE', `/users/${ben.userId}`, { headers }),
      run(app, 'audit records'),
    ])
    assert.equal(answer.status, 200)
    await run(app, 'audit records')
    assert.equal(await keyOf(ben.userId), undefined)
    assert.deepEqual((await verified(app.deps)).problems, [])
  })

  test('a mail that a worker has leased is not put back with the address', async () => {
    const carl = await app.account('carl')
    await verifyAddress(app, carl, 'carl@example.org')
    const own = await app.session(carl)
    await app.call('PUT', '/api/account/email', {
      headers: own,
      json: { email: 'c@example.org', current_password: carl.password },
    })
    const ofCarl = () =>
      app.deps.db
        .selectFrom('mails')
        .selectAll()
        .where('address_index', 'in', (eb) =>
          eb.selectFrom('mails').select('address_index').where('sealed', 'is not', null),
        )
        .execute()
    await app.deps.db
      .updateTable('mails')
      .set({ state: 'sending', locked_by: 'a worker', locked_until: app.clock.now() + 60_000 })
      .where('user_id', '=', carl.userId)
      .where('state', '=', 'waiting')
      .execute()
    const { status } = await app.call('DELETE', `/users/${carl.userId}`, { headers })
    assert.equal(status, 200)
    assert.deepEqual(await ofCarl(), [])
  })

  test('an import of the same name at the same time makes another person', async () => {
    const dora = await app.account('dora')
    const lines = ndjson([line('dora')])
    const type = { 'content-type': 'application/x-ndjson' }
    const answers = await Promise.all([
      app.call('DELETE', `/users/${dora.userId}`, { headers }),
      app.call('POST', '/api/admin/import/accounts', {
        headers: { ...headers, ...type },
        body: lines,
      }),
    ])
    assert.equal(answers[0].status, 200)
    assert.equal(await keyOf(dora.userId), undefined)
    const found = await app.call('GET', '/api/admin/accounts/dora', { headers })
    if (answers[1].status === 200) assert.notEqual(found.body.user_id, dora.userId)
    else assert.equal(found.status, 404)
    assert.deepEqual(
      (await verified(app.deps)).problems.filter(({ what }) => what !== 'index'),
      [],
    )
  })
})
