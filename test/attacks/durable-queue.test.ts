// A database makes a difference: what statements lease, which indexes they use, and what a kill leaves.
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { suite, test } from 'node:test'
import { CompiledQuery, type KyselyPlugin, type RootOperationNode } from 'kysely'
import type { Database } from '../../src/core/database/database.ts'
import { mailStore } from '../../src/extras/mail/queue.ts'
import { webhookQueue } from '../../src/extras/webhooks/queue.ts'
import { createWebhookSender, type WebhookSender } from '../../src/extras/webhooks/sender.ts'
import { outboundRules } from '../../src/extras/webhooks/target-rules.ts'
import { type TestApp, testApp } from '../app.ts'
import { testDatabase } from '../database.ts'
import { addMail, emailOf, mailerOf, mailRows, servicesOf } from '../mail.ts'
import { type Relay, startRelay } from '../relay.ts'
import { until } from '../until.ts'
import { startReceiver } from '../webhook-receiver.ts'
import { deliveriesOf, leases, setUp } from '../webhook-sending.ts'

const many = 100_000
const hour = 3_600_000

/** A process that is killed before its nth statement: no later statement reaches the database. */
function killedAt(statement: number) {
  let isKilled = false
  return {
    isKilled: () => isKilled,
    of: failing((count) => {
      isKilled = count >= statement
      return isKilled
    }),
  }
}

/** Databases of a process whose nth statements fail. */
function failing(fails: (count: number) => boolean) {
  let count = 0
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      count += 1
      if (fails(count)) throw new Error('killed')
      return node
    },
    transformResult: async ({ result }) => result,
  }
  return ({ deps: { asyncCommitDb, db } }: TestApp) => ({
    db: db.withPlugin(plugin) as Database,
    asyncCommitDb: asyncCommitDb.withPlugin(plugin) as Database,
  })
}

/** The sender of another process. */
async function senderOf(app: TestApp, more: Partial<TestApp['deps']> = {}): Promise<WebhookSender> {
  const services = await servicesOf(app)
  const { webhookOutbox: outbox, webhookSubscriptions: subscriptions } = services
  const rules = outboundRules(app.deps.config)
  return createWebhookSender({ ...app.deps, ...services, rules, outbox, subscriptions, ...more })
}

async function mailApp(given?: Relay) {
  const relay = given ?? (await startRelay())
  const app = await testApp(relay.env)
  const services = await servicesOf(app)
  const add = (address: string) =>
    addMail(app, services, {
      message: 'test',
      to: { address: emailOf(address) },
      facts: { at: app.clock.now() },
      language: 'en',
      expiresAt: app.clock.now() + hour,
    })
  return { app, relay, services, add }
}

suite('a worker that is killed at any statement', () => {
  test('of a mail: the mail is sent, at most once more than by others', async () => {
    const { app, relay, services, add } = await mailApp()
    for (let statement = 1; ; statement += 1) {
      const id = await add(`p${statement}@example.org`)
      const process = killedAt(statement)
      await mailerOf(app, services, process.of(app))
        .run()
        .catch(() => {})
      app.clock.advance(240)
      await mailerOf(app, services).run()
      const row = (await mailRows(app)).find((mail) => mail.id === id)
      assert.equal(row?.state, 'sent', `killed at statement ${statement}`)
      const copies = relay.mails.splice(0).length
      assert.ok(copies === 1 || copies === 2, `${copies} copies, killed at ${statement}`)
      if (!process.isKilled()) return assert.ok(statement > 4)
    }
  })

  test('of a webhook: the message arrives, at most once more, and the next one behind it', async () => {
    const app = await testApp()
    const receiver = await startReceiver()
    await setUp(app, receiver.url, ['user_created'])
    for (let statement = 1; ; statement += 1) {
      await app.account(`first${statement}`)
      await app.account(`second${statement}`)
      const process = killedAt(statement)
      const killed = await senderOf(app, process.of(app))
      await killed.run().catch(() => {})
      await killed.settled()
      app.clock.advance(30)
      const other = await senderOf(app)
      await other.run()
      await other.settled()
      assert.deepEqual(
        (await deliveriesOf(app)).filter(({ state }) => state !== 'delivered'),
        [],
        `killed at statement ${statement}`,
      )
      const ids = receiver.received.splice(0).map(({ id }) => id)
      assert.equal(new Set(ids).size, 2)
      assert.ok(ids.length <= 3 && ids.indexOf(ids.at(-1) ?? '') > 0, `killed at ${statement}`)
      if (!process.isKilled()) return assert.ok(statement > 8)
    }
  })
})

suite('a lease of a webhook that expires in the middle of an attempt', () => {
  test('what its worker heard changes nothing; the worker that took over ends the delivery', async () => {
    const app = await testApp()
    const receiver = await startReceiver()
    await setUp(app, receiver.url, ['user_created'])
    const held: ServerResponse[] = []
    receiver.answer = (_message, response) => void held.push(response)
    await app.account('ann')
    const slow = await senderOf(app)
    await slow.run()
    await until(() => held.length === 1)
    app.clock.advance(30)
    receiver.answer = (_message, response) => void response.writeHead(202).end()
    const other = await senderOf(app)
    await other.run()
    // Any of both takes the lease over, also the process that has lost the lease.
    await until(async () => (await leases(app))[0]?.locked_by === null)
    const before = [await deliveriesOf(app), await leases(app), await health(app)]
    assert.deepEqual([before[0]?.length, receiver.received.length], [1, 2])
    held[0]?.writeHead(410).end()
    await slow.settled()
    assert.deepEqual([await deliveriesOf(app), await leases(app), await health(app)], before)
    const [{ state, status, attempts } = assert.fail()] = await deliveriesOf(app)
    assert.deepEqual([state, status, attempts], ['delivered', 202, 1])
    assert.deepEqual(
      app.log.filter(({ event }) => event === 'webhook_disabled'),
      [],
    )
  })
})

suite('a lease of a mail that expires in the middle of an attempt', () => {
  test('the worker that has lost the lease tells nothing; the mail is sent once for all', async () => {
    const answer = Promise.withResolvers<undefined>()
    let messages = 0
    const relay = await startRelay({
      onMessage: async () => {
        messages += 1
        return messages === 1 ? answer.promise : undefined
      },
    })
    const app = await testApp(relay.env)
    const services = await servicesOf(app)
    await addMail(app, services, {
      message: 'test',
      to: { address: emailOf('ann@example.org') },
      facts: { at: app.clock.now() },
      language: 'en',
      expiresAt: app.clock.now() + hour,
    })
    const slow = mailerOf(app, services).run()
    await until(() => messages === 1)
    // Not by the clock, which would end the attempt as well.
    await app.deps.db.updateTable('mails').set({ locked_until: app.clock.now() }).execute()
    await mailerOf(app, services).run()
    const before = await mailRows(app)
    assert.equal(before[0]?.state, 'sent')
    answer.resolve(undefined)
    await slow
    assert.deepEqual(await mailRows(app), before)
    assert.equal(app.log.filter(({ event }) => event === 'mail_sent').length, 1)
  })
})

suite('one of the connections that send mail at once fails', () => {
  test('the others end the mail that they send, and take no further one', async () => {
    const answer = Promise.withResolvers<undefined>()
    let messages = 0
    const relay = await startRelay({
      onMessage: () => {
        messages += 1
        return answer.promise
      },
    })
    const { app, services, add } = await mailApp(relay)
    for (let person = 1; person <= 5; person += 1) await add(`p${person}@example.org`)
    let isEnded = false
    const work = mailerOf(app, services, failing((count) => count === 4)(app)).run()
    const ended = assert.rejects(work, /^Error: killed$/).finally(() => {
      isEnded = true
    })
    await until(() => messages === 3)
    assert.equal(isEnded, false)
    answer.resolve(undefined)
    await ended
    const states = (await mailRows(app)).map(({ state }) => state).toSorted()
    assert.deepEqual(states, ['sent', 'sent', 'sent', 'waiting', 'waiting'])
  })
})

suite('mail beside a clock that was ahead', () => {
  test('what it has put off or leased is due when the clock is right again', async () => {
    const { app, relay, services, add } = await mailApp()
    const store = mailStore(app.deps.db)
    const [later, leased] = [await add('later@example.org'), await add('leased@example.org')]
    const ahead = app.clock.now() + 48 * hour
    const claim = (id: string) => store.lease({ owner: id, now: ahead, id })
    await store.retry((await claim(later)) ?? assert.fail(), ahead + hour)
    const lost = (await claim(leased)) ?? assert.fail()
    const mailer = mailerOf(app, services)
    await mailer.run()
    assert.equal(relay.mails.length, 0)
    await mailer.expire(100)
    await mailer.run()
    assert.equal(relay.mails.length, 2)
    assert.equal(await store.end(lost, { state: 'failed' }), false)
    assert.ok((await mailRows(app)).every(({ state }) => state === 'sent'))
  })

  test('a delay and a lease of now are left alone', async () => {
    const { app, add } = await mailApp()
    const store = mailStore(app.deps.db)
    const now = app.clock.now()
    const [later, leased] = [await add('later@example.org'), await add('leased@example.org')]
    const claimed = (await store.lease({ owner: 'one', now, id: later })) ?? assert.fail()
    await store.retry(claimed, now + hour)
    await store.lease({ owner: 'two', now, id: leased })
    const before = await mailRows(app)
    assert.equal(await store.capDelays(now, 100), 0)
    assert.deepEqual(await mailRows(app), before)
  })
})

suite('poison', () => {
  test('a mail that opens with no key, and one that always fails, hold up no other mail', async () => {
    const { app, relay, services, add } = await mailApp()
    const [poison, failing, good] = [
      await add('poison@example.org'),
      await add('failing@example.org'),
      await add('good@example.org'),
    ]
    await app.deps.db.updateTable('mails').set({ sealed: 'x' }).where('id', '=', poison).execute()
    await app.deps.db
      .updateTable('mails')
      .set({ confirmation: 'x' })
      .where('id', '=', failing)
      .execute()
    const confirmations = { secretsOf: () => Promise.reject(new Error('always')) }
    await mailerOf(app, services, { confirmations }).run()
    const rows = new Map((await mailRows(app)).map((row) => [row.id, row]))
    assert.equal(rows.get(poison)?.state, 'failed')
    assert.deepEqual([rows.get(failing)?.state, rows.get(failing)?.attempts], ['waiting', 1])
    assert.equal(rows.get(good)?.state, 'sent')
    assert.deepEqual(
      relay.mails.map(({ to }) => to),
      [['good@example.org']],
    )
  })
})

suite(`${many} waiting rows`, () => {
  test('a claim of mail is one statement, which reads an index', async () => {
    const { app } = await mailApp()
    const { db } = app.deps
    const due = app.clock.now() + hour
    await execute(
      db,
      `insert into mails (id, message, kind, state, address_index, priority, due_at, expires_at, created_at)
        ${numbers} select 'm' || n, 'test', 'notice', 'waiting', 'x', 50, ${due} + n, ${due} + n, ${due} from numbers`,
    )
    const { statements, watched } = watch(db)
    assert.equal(await mailStore(watched).lease({ owner: 'one', now: app.clock.now() }), null)
    assert.equal(statements.length, 1)
    await assertIndexed(app, statements, 'mails')
    const row = await mailStore(db).lease({ owner: 'one', now: due + 1 })
    assert.equal(row?.id, 'm1')
  })

  test('a webhook with a long queue is claimed, read and ended by indexes', async () => {
    const app = await testApp()
    const { db, clock } = app.deps
    const receiver = await startReceiver()
    const { id } = await setUp(app, receiver.url, ['user_created'])
    const now = clock.now()
    await execute(
      db,
      `insert into webhook_deliveries (endpoint, message, type, order_key, at, state, due_at, created_at)
        ${numbers} select '${id}', 'm' || n, 'user_created', 'person', ${now}, 'waiting', ${now}, ${now} from numbers`,
    )
    const { statements, watched } = watch(db)
    const queue = webhookQueue(watched)
    await queue.notify([id], now)
    const lease = (await queue.claim(now, { locked_by: 'one' })) ?? assert.fail()
    assert.equal((await queue.next(id, now))?.message, 'm1')
    assert.equal(await queue.nextDue(id), now)
    assert.ok(await queue.retry(lease, now))
    assert.equal(statements.length, 5)
    await assertIndexed(app, statements, 'webhook_deliveries')
    // The head is put off: the rows behind it are moved in steps, and other endpoints are not held up.
    const first = (await deliveriesOf(app))[0] ?? assert.fail()
    await db
      .updateTable('webhook_deliveries')
      .set({ due_at: now + hour })
      .where('id', '=', first.id)
      .execute()
    const before = statements.length
    assert.equal(await queue.next(id, now), null)
    assert.ok(statements.length - before <= 32)
  })
})

const numbers = `with recursive numbers (n) as
  (select 1 union all select n + 1 from numbers where n < ${many})`

async function execute(db: Database, text: string): Promise<void> {
  // Both databases take the recursion in front of the insert.
  const [insert = '', rest = ''] = text.split(numbers)
  await db.executeQuery(CompiledQuery.raw(`${numbers} ${insert} ${rest}`))
  await db.executeQuery(CompiledQuery.raw('analyze'))
}

/** A database that keeps the statements that run by it. */
function watch(db: Database) {
  const statements: RootOperationNode[] = []
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      statements.push(node)
      return node
    },
    transformResult: async ({ result }) => result,
  }
  return { statements, watched: db.withPlugin(plugin) as Database }
}

/** Asserts that no statement reads a table from its beginning. */
async function assertIndexed(
  { deps: { db } }: TestApp,
  statements: readonly RootOperationNode[],
  table: string,
): Promise<void> {
  const executor = db.getExecutor()
  const explain = testDatabase === 'sqlite' ? 'explain query plan' : 'explain'
  for (const node of statements) {
    const { sql, parameters } = executor.compileQuery(node, { queryId: 'explain' })
    const { rows } = await db.executeQuery(CompiledQuery.raw(`${explain} ${sql}`, [...parameters]))
    const plan = rows.map((row) => Object.values(row as object).join(' ')).join('\n')
    const isWhole =
      testDatabase === 'sqlite'
        ? new RegExp(`SCAN ${table}(?! USING INDEX)`).test(plan)
        : plan.includes(`Seq Scan on ${table}`)
    assert.ok(!isWhole, `${sql}\n${plan}`)
  }
}

const health = (app: TestApp) => app.deps.db.selectFrom('webhook_health').selectAll().execute()
