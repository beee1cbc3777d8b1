// A database makes a difference: what a process keeps of a session that another process serves.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type TestApp, testApp } from '../app.ts'
import { countedDatabase } from '../counted-database.ts'
import { deafFeed, refuseChanges, testDatabase } from '../database.ts'
import { askForward } from '../forward.ts'
import { twoNodes } from '../two-nodes.ts'
import { until } from '../until.ts'
import { runJob } from '../webhook-sending.ts'

const flush = (app: TestApp) => runJob(app, 'session activity')

suite('a session that is used at one node only', async () => {
  const { one, two, clock, make } = await twoNodes({ SESSION_IDLE_SECONDS: '3' })
  const kinds = {
    session: (at: TestApp, { session }: Made) =>
      at.call('GET', '/api/session', { headers: session }),
    'session at an application': (at: TestApp, { host }: Made) =>
      askForward(at, { host: 'wiki.example.org', headers: host }),
  }
  type Made = Awaited<ReturnType<typeof make>>

  for (const [what, ask] of Object.entries(kinds)) {
    for (const [used, rests] of [
      [one, two],
      [two, one],
    ] as const) {
      const name = used === one ? 'first' : 'second'
      test(`${what}: ends as idle at no node before its time, used at the ${name}`, async () => {
        const made = await make()
        const statusAt = async (at: TestApp) => {
          const { status, body } = await ask(at, made)
          if (status === 200 && body.expires_at) {
            assert.equal(Date.parse(body.expires_at), clock.now() + 3000)
          }
          return status
        }
        for (const node of [one, two]) {
          if (testDatabase === 'postgres') await until(() => node.deps.feed.isCurrent())
          assert.equal(await statusAt(node), 200)
        }
        await flush(rests)
        for (let step = 1; step <= 20; step += 1) {
          clock.advance(0.25)
          assert.equal(await statusAt(used), 200)
          if (step % 4 === 0) await flush(used)
        }
        clock.advance(2.999)
        assert.equal(await statusAt(rests), 200)
        await flush(rests)
        clock.advance(2.999)
        assert.equal(await statusAt(used), 200)
        await flush(used)
        clock.advance(3)
        assert.deepEqual([await statusAt(used), await statusAt(rests)], [401, 401])
      })
    }
  }
})

suite('a node whose activity cannot be written', () => {
  test('answers from memory for ten seconds, and then asks the database', async () => {
    const { options, during } = await countedDatabase()
    const app = await testApp({}, options)
    const headers = await app.session(app.admin)
    const statements = async () => {
      const ask = () => app.call('GET', '/api/session', { headers })
      const { result, count } = await during(ask)
      assert.equal(result.status, 200)
      return count.statements
    }
    app.clock.advance(1)
    await statements()
    const allow = await refuseChanges(app, 'update on sessions')
    if (testDatabase === 'sqlite') await statements() // the file has changed
    await assert.rejects(() => flush(app))
    assert.equal(await statements(), 0)
    app.clock.advance(9.999)
    await assert.rejects(() => flush(app))
    assert.equal(await statements(), 0)
    app.clock.advance(0.001)
    for (let times = 0; times < 2; times += 1) assert.equal(await statements(), 1)
    await allow()
    await flush(app)
    await statements()
    assert.equal(await statements(), 0)
  })
})

suite('a node without a lease', () => {
  test('asks the database once for all requests that wait', async () => {
    const { options, during } = await countedDatabase()
    const { feed } = options.deps ?? {}
    const withoutLease = { feed: { ...(feed ?? deafFeed), isCurrent: () => false } }
    const app = await testApp({}, { ...options, deps: { ...options.deps, ...withoutLease } })
    // The answer of /api/me has a name, which each request reads.
    const kinds = [
      ['/api/me', await app.bearer(app.admin), 1],
      ['/api/session', await app.session(app.admin), 0],
    ] as const
    for (const [path, headers, own] of kinds) {
      const ask = async () => (await app.call('GET', path, { headers })).status
      await ask()
      const alone = (await during(ask)).count.statements - own
      const crowd = () => Promise.all(Array.from({ length: 20 }, ask))
      const { result, count } = await during(crowd)
      assert.deepEqual(new Set(result), new Set([200]))
      const shared = count.statements - 20 * own
      assert.ok(alone > 0 && shared <= 3 * alone, `${shared} of ${alone}`)
    }
  })
})
