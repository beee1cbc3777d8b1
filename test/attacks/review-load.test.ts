import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { digest } from '../../src/core/crypto/digest.ts'
import { type SliceStart, streamItems } from '../../src/core/http/lists/listing.ts'
import { inBatches } from '../../src/core/runtime/jobs.ts'
import { type TestApp, testApp } from '../app.ts'
import { seedUsers } from '../users.ts'
import { watchedDatabase } from '../watched-database.ts'

/** How often others had their turn while the work ran. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0
  let isDone = false
  const done = work.finally(() => {
    isDone = true
  })
  while (!isDone) {
    await setImmediate()
    turns += 1
  }
  await done
  return turns
}

suite('long work lets others have their turn', async () => {
  const app = await testApp()
  const job = ({ app: { jobs } }: TestApp, wanted: string) =>
    jobs.find(({ name }) => name === wanted)?.run() ?? Promise.resolve()

  test('T72: a list of all users, after each batch', async () => {
    const batches = 50
    const batchSize = 500
    const slice = async (limit: number, from: SliceStart) => {
      const start = 'offset' in from ? 0 : from.afterId
      const count = Math.min(limit, batches * batchSize - start)
      return Array.from({ length: count }, (_, index) => ({
        id: start + index + 1,
        name: 'n',
        email: 'e@example.org',
      }))
    }
    const stream = await streamItems(
      { slice, batchSize },
      { offset: 0, limit: Number.POSITIVE_INFINITY },
      { before: '[', after: ']' },
    )
    let text = ''
    const turns = await turnsDuring(
      (async () => {
        for await (const part of stream) text += part
      })(),
    )
    assert.equal(JSON.parse(text).length, batches * batchSize)
    assert.ok(turns >= batches - 1, `${turns} turns`)
  })

  test('G14: the activity of 2,000 sessions is written in batches, and none is lost', async () => {
    const secrets = await manySessions(app, 2000)
    app.clock.advance(60)
    for (const secret of secrets) await resume(app, secret)
    const turns = await turnsDuring(job(app, 'session activity'))
    assert.ok(turns >= 9, `${turns} turns`)
    const seen = await app.deps.db.selectFrom('sessions').select('last_seen_at').execute()
    assert.equal(seen.length, 2000)
    assert.ok(seen.every((row) => row.last_seen_at === app.clock.now()))
  })

  test('G14: jobs remove all that has ended, in batches, however much it is', async () => {
    const secrets = await app.deps.db.selectFrom('sessions').select('id').execute()
    assert.equal(secrets.length, 2000)
    const before = await app.deps.db.selectFrom('throttle_places').select('id').execute()
    const place = {
      address: '192.0.2.1',
      taken_at: app.clock.now(),
      pending: 0,
      expires_at: app.clock.now() + 900_000,
    } as const
    for (let batch = 0; batch < 5; batch += 1) {
      const rows = Array.from({ length: 500 }, () => ({ ...place, username: 'u' }))
      await app.deps.db.insertInto('throttle_places').values(rows).execute()
    }
    app.clock.advance(50_000)
    const turns = await turnsDuring(
      Promise.all([job(app, 'ended sessions'), job(app, 'throttle places')]),
    )
    assert.ok(turns >= 2, `${turns} turns`)
    const { sessions, throttle_places: places } = await app.rows()
    assert.deepEqual([sessions, places, before], [[], [], []])
  })

  test('a job of many batches ends early when the service stops', async () => {
    const stop = new AbortController()
    let batches = 0
    const purged = await inBatches(10)(async (most) => {
      batches += 1
      if (batches === 3) stop.abort()
      return most
    })(stop.signal)
    assert.deepEqual([batches, purged], [3, 30])
  })

  test('of all jobs that remove, one batch runs at a time, and one that fails stops no other', async () => {
    const jobs = inBatches(1)
    let running = 0
    const busy = async () => {
      running += 1
      assert.equal(running, 1)
      await setImmediate()
      running -= 1
    }
    const threeBatches = () => {
      let left = 3
      return jobs(async () => {
        await busy()
        left -= 1
        return Math.sign(left)
      })()
    }
    const failing = jobs(async () => {
      await busy()
      throw new Error('away')
    })()
    const done = await Promise.allSettled([threeBatches(), failing, threeBatches()])
    assert.deepEqual(
      done.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
  })
})

suite('sessions whose activity is not written down yet', async () => {
  test('3.1: a session that another process has just seen is not removed', async () => {
    const one = await testApp({ SESSION_IDLE_SECONDS: '60' })
    const headers = await one.session(one.admin)
    const other = await testApp(
      { SESSION_IDLE_SECONDS: '60' },
      { directory: one.directory, clock: one.clock },
    )
    one.clock.advance(59)
    assert.equal((await one.call('GET', '/api/protected', { headers })).status, 200)
    one.clock.advance(2)
    for (const { name, run } of other.app.jobs) if (name === 'ended sessions') await run()
    assert.equal((await one.call('GET', '/api/protected', { headers })).status, 200)
  })
})

suite('pages past the end', async () => {
  const reads: string[] = []
  const app = await testApp(
    {},
    await watchedDatabase(({ table }) => {
      if (table !== undefined) reads.push(table)
    }),
  )
  await seedUsers(app, 20)
  const headers = await app.bearer(app.admin)

  for (const path of [
    '/users?page=4',
    '/users?page=900719925474099&limit=5000',
    '/api/v1/users?page=4&limit=10',
    '/api/v2/users?page=4',
    '/api/v2/users?page=900&sort=-name',
  ]) {
    test(`T72: GET ${path} is empty, and reads no users`, async () => {
      reads.length = 0
      const { status, body } = await app.call('GET', path, { headers })
      assert.deepEqual([status, body.data, body.total], [200, [], 21])
      assert.ok(!reads.includes('users'), reads.join())
    })
  }
})

async function manySessions({ deps }: TestApp, count: number): Promise<string[]> {
  const secrets = Array.from({ length: count }, (_, index) => String(index).padStart(43, 'A'))
  const now = deps.clock.now()
  for (let from = 0; from < count; from += 500) {
    const rows = secrets.slice(from, from + 500).map((secret) => ({
      id: digest(secret),
      user_id: 1,
      csrf_token: secret,
      created_at: now,
      last_seen_at: now,
      address: '127.0.0.1',
      user_agent: '',
    }))
    await deps.db.insertInto('sessions').values(rows).execute()
  }
  return secrets
}

async function resume(app: TestApp, secret: string): Promise<void> {
  const headers = { cookie: `JSESSIONID=${secret}` }
  assert.equal((await app.call('GET', '/api/protected', { headers })).status, 200)
}
