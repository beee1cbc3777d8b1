// A database makes a difference: the bound is kept by statements of its own.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createMeasurements } from '../../src/core/measurements/measurements.ts'
import { refusalsLost } from '../../src/extras/explain/monitoring.ts'
import type { Refusals } from '../../src/extras/explain/refusals.ts'
import { createRefusals } from '../../src/extras/explain/refusals.ts'
import type { Refusal } from '../../src/extras/explain/store.ts'
import { type TestApp, testApp } from '../app.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { asClient, clientsFile, entry } from '../clients.ts'
import { countedDatabase } from '../counted-database.ts'
import { linkedWorkers } from '../linked-workers.ts'
import { assertRefusal } from '../refusal.ts'

const hostileIds = [
  '%00',
  '%1b%5b31m',
  'a%0ab',
  '%e2%80%ae',
  '..%2f..%2fusers',
  "'%20or%20'1'='1",
  'x'.repeat(5000),
  '%ff',
  '__proto__',
]

/** The service's own bound, on a smaller table. */
function boundedRefusals(app: TestApp, max: number): Refusals {
  const config = { ...app.deps.config, refusals: { max } }
  return createRefusals({ ...app.deps, config })
}

suite('refusals are kept within a bound', async () => {
  const app = await testApp()
  let made = 0
  const refusal = (address: string, at = app.clock.now()): Omit<Refusal, 'network'> => ({
    id: `made-${++made}`,
    at,
    status: 401,
    error: 'invalidCredentials',
    method: 'POST',
    route: '/login',
    code: 'no_such_account',
    facts: {},
    scheme: null,
    subject: null,
    address,
  })
  const kept = async () =>
    (await app.deps.db.selectFrom('refusals').select(['id', 'network']).execute()).map(
      ({ network }) => network,
    )
  const clear = () => app.deps.db.deleteFrom('refusals').execute()
  const countOf = (all: readonly string[], network: string) =>
    all.filter((one) => one === network).length

  test('an address that sends 100,000 refusals displaces no row of another address', async () => {
    await clear()
    const refusals = boundedRefusals(app, 1000)
    const others = Array.from({ length: 450 }, (_, index) => `10.0.${index >> 8}.${index & 255}`)
    for (const address of [...others, ...others]) refusals.note(refusal(address))
    await refusals.flush()
    for (let sent = 0; sent < 100_000; sent += 1) {
      refusals.note(refusal('203.0.113.9'))
      if (sent % 2000 === 0) await refusals.flush()
    }
    await refusals.flush()
    const all = await kept()
    for (const address of others) assert.equal(countOf(all, address), 2, address)
    assert.equal(countOf(all, '203.0.113.9'), 100) // a tenth
  })

  test('in a full table it displaces its own, and one row of the address that has most', async () => {
    await clear()
    const refusals = boundedRefusals(app, 100)
    for (let index = 0; index < 45; index += 1) {
      for (const _ of [1, 2]) refusals.note(refusal(`10.0.0.${index}`))
    }
    for (let index = 0; index < 10; index += 1) refusals.note(refusal('10.0.1.1'))
    await refusals.flush()
    for (let batch = 0; batch < 20; batch += 1) {
      for (let sent = 0; sent < 150; sent += 1) refusals.note(refusal('203.0.113.9'))
      await refusals.flush()
    }
    const all = await kept()
    assert.equal(all.length, 100)
    assert.equal(countOf(all, '203.0.113.9'), 1)
    assert.equal(countOf(all, '10.0.1.1'), 9)
    for (let index = 0; index < 45; index += 1) assert.equal(countOf(all, `10.0.0.${index}`), 2)
  })

  test('addresses of one /64 network share a place, and the newest rows stay', async () => {
    await clear()
    const refusals = boundedRefusals(app, 100)
    for (let index = 0; index < 50; index += 1) {
      refusals.note(refusal(`2001:db8::${index.toString(16)}`, app.clock.now() + index))
    }
    const last = refusal('2001:db8::ffff', app.clock.now() + 50)
    refusals.note(last)
    await refusals.flush()
    assert.deepEqual(new Set(await kept()), new Set(['2001:db8:0:0::/64']))
    assert.equal((await kept()).length, 10)
    assert.equal((await refusals.find(last.id))?.address, '2001:db8::ffff')
  })

  test('0 keeps none', async () => {
    await clear()
    const refusals = boundedRefusals(app, 0)
    refusals.note(refusal('10.0.0.1'))
    assert.equal(await refusals.flush(), 0)
    assert.deepEqual(await kept(), [])
  })

  test('a flood while the database is away fills no memory, and what is lost is counted', async () => {
    await clear()
    const measurements = createMeasurements()
    const refusals = createRefusals({ ...app.deps, measurements })
    for (let sent = 0; sent < 100_000; sent += 1) refusals.note(refusal('203.0.113.9'))
    assert.equal(measurements.of(refusalsLost).count, 100_000 - 200)
    assert.equal(await refusals.flush(), 200)
  })

  test('a flood from many addresses stays within the bound', async () => {
    await clear()
    const refusals = boundedRefusals(app, 300)
    for (let index = 0; index < 300; index += 1)
      refusals.note(refusal(`10.1.${index >> 8}.${index & 255}`))
    await refusals.flush()
    for (let index = 0; index < 500; index += 1)
      refusals.note(refusal(`10.2.${index >> 8}.${index & 255}`))
    await refusals.flush()
    assert.equal((await kept()).length, 300)
  })

  test('what cannot be written stays queued, and is written later', async () => {
    await clear()
    const failing = { ...app.deps, asyncCommitDb: app.deps.db }
    const refusals = createRefusals({
      ...failing,
      asyncCommitDb: new Proxy(app.deps.db, {
        get: (db, name) => {
          if (name === 'transaction' && isAway) throw new Error('away')
          const value = Reflect.get(db, name)
          return typeof value === 'function' ? value.bind(db) : value
        },
      }),
    })
    let isAway = true
    refusals.note(refusal('10.0.0.1'))
    await assert.rejects(refusals.flush(), /away/)
    refusals.note(refusal('10.0.0.2'))
    isAway = false
    assert.equal(await refusals.flush(), 2)
    assert.deepEqual((await kept()).sort(), ['10.0.0.1', '10.0.0.2'])
  })

  test('after 24 hours a refusal is not found, and a job deletes it', async () => {
    await clear()
    const { headers } = await app.call('GET', '/no/such')
    const path = `/api/admin/explain/${headers['x-request-id']}`
    const read = async () => app.call('GET', path, { headers: await app.bearer(app.admin) })
    assert.equal((await read()).status, 200)
    app.clock.advance(86_400)
    assertRefusal(await read(), 404, 'Refusal not found')
    await app.app.jobs.find(({ name }) => name === 'old refusals')?.run()
    const ids = (await app.deps.db.selectFrom('refusals').select('id').execute()).map(
      ({ id }) => id,
    )
    assert.ok(!ids.includes(String(headers['x-request-id'])))
  })
})

suite('reasons are for ADMIN alone', async () => {
  const app = await testApp({ CLIENTS_FILE: clientsFile([entry('shop')]) })
  const ann = await app.account('ann')
  const ed = await app.account('ed', ['USER', 'EDITOR'])
  const wrong = await app.call('POST', '/login', { json: { username: 'ann', password: 'wrong' } })
  const path = `/api/admin/explain/${wrong.headers['x-request-id']}`
  const question = { username: 'ann', route: 'GET /users' }

  for (const [who, headers, status, error] of [
    ['no credential', {}, 401, 'Authentication required'],
    ['a client', asClient('shop'), 401, 'Authentication required'],
    ['USER', app.basic(ann), 403, 'Access denied'],
    ['EDITOR', app.basic(ed), 403, 'Access denied'],
  ] as const) {
    test(`${who}: ${status} with nothing`, async () => {
      const known = await app.call('GET', path, { headers })
      assertRefusal(known, status, error)
      const unknown = await app.call('GET', '/api/admin/explain/none', { headers })
      assert.equal(known.text, unknown.text)
      const asked = await app.call('POST', '/api/admin/explain', { headers, json: question })
      assertRefusal(asked, status, error)
    })
  }

  test('hostile ids are not found, and nothing of them is repeated', async () => {
    const headers = await app.bearer(app.admin)
    for (const id of hostileIds) {
      const answer = await app.call('GET', `/api/admin/explain/${id}`, { headers })
      assert.ok(answer.status === 404 || answer.status === 400, id)
      assert.ok(answer.text === '{"error":"Refusal not found"}' || answer.status === 400, id)
    }
  })

  test('hostile ids print nothing raw at a terminal', async () => {
    for (const id of ['\x1b[31mred', 'a\nb', '\u202eabc', 'x'.repeat(5000), '\x07']) {
      const { code, stdout, stderr } = await gatehouse(app.directory, `explain '${id}'`, {
        clock: app.clock,
      })
      assert.deepEqual([code, stdout, stderr], [3, '', 'error: no refusal of this id is kept\n'])
    }
  })

  test('what a header brings is cut, and shown without control characters', async () => {
    const origin = `https://\u00e9vil.example/\x1b[31m${'x'.repeat(4000)}`
    const json = { username: 'ann', password: 'wrong' }
    const refused = await app.call('POST', '/login', { headers: { origin }, json })
    assert.equal(refused.status, 403)
    const id = String(refused.headers['x-request-id'])
    await app.app.jobs.find(({ name }) => name === 'refusals')?.run()
    const { stdout } = await gatehouse(app.directory, `explain ${id}`, { clock: app.clock })
    assert.match(stdout, /foreign_page/)
    assert.ok(!stdout.includes('\x1b'))
    assert.ok(stdout.length < 1500)
  })

  test('no secret that was sent is kept', async () => {
    const canary = 'canary-7f3a'
    await app.call('POST', '/login', { json: { username: canary, password: canary } })
    await app.call('GET', '/users', { headers: { authorization: `Bearer ${canary}` } })
    await app.call('GET', '/users', { headers: { authorization: canary } })
    await app.call('GET', '/users', { headers: { cookie: `JSESSIONID=${canary}` } })
    await app.call('POST', '/refresh', { json: { refresh_token: canary } })
    await app.call('GET', `/${canary}?token=${canary}`)
    await app.call('POST', '/api/admin/explain', {
      headers: await app.bearer(app.admin),
      json: { token: canary },
    })
    const basic = Buffer.from(`${canary}:${canary}`).toString('base64')
    await app.call('GET', '/users', { headers: { authorization: `Basic ${basic}` } })
    await app.app.jobs.find(({ name }) => name === 'refusals')?.run()
    const rows = JSON.stringify(await app.deps.db.selectFrom('refusals').selectAll().execute())
    assert.ok(rows.includes('no_such_account') && rows.includes('token_malformed'))
    assert.ok(!rows.includes(canary) && !JSON.stringify(app.log).includes(canary))
  })
})

suite('a refusal of one process is explained by all', async () => {
  const workers = linkedWorkers(2)
  const one = await testApp({}, { deps: { workers: workers[0] } as object })
  const { directory, clock } = one
  const two = await testApp({}, { directory, clock, deps: { workers: workers[1] } as object })
  const other = await testApp({}, { directory, clock })
  const codeAt = async (app: TestApp, id: unknown) => {
    const headers = app.basic(app.admin)
    return (await app.call('GET', `/api/admin/explain/${id}`, { headers })).body.code
  }

  test('by another worker at once, by another node when the job has run', async () => {
    const { headers } = await one.call('GET', '/no/such')
    const id = headers['x-request-id']
    assert.equal(await codeAt(other, id), undefined)
    assert.equal(await codeAt(two, id), 'unknown_route')
    const { headers: more } = await other.call('GET', '/no/such')
    assert.equal(await codeAt(two, more['x-request-id']), undefined)
    await other.app.jobs.find(({ name }) => name === 'refusals')?.run()
    assert.equal(await codeAt(two, more['x-request-id']), 'unknown_route')
  })

  test('a process writes its last refusals before it closes', async () => {
    const { headers } = await other.call('GET', '/no/such')
    await other.app.server.close()
    assert.equal(await codeAt(one, headers['x-request-id']), 'unknown_route')
  })
})

suite('a flood of made-up session cookies', async () => {
  const counted = await countedDatabase()
  const app = await testApp({}, counted.options)

  test('costs one read each, but for some in a second', async () => {
    const { count } = await counted.during(async () => {
      for (let sent = 1000; sent < 1300; sent += 1) {
        const headers = { cookie: `JSESSIONID=${String(sent).padStart(43, 'A')}` }
        const answer = await app.call('GET', '/api/protected', { headers })
        assertRefusal(answer, 401, 'Authentication required')
      }
    })
    assert.equal(count.statements, 300 + 100)
  })
})
