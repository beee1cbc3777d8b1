// A database makes a difference: the order of records, over a restart.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fastify, { type FastifyRequest } from 'fastify'
import { ApiError, type ErrorName } from '../../src/core/errors.ts'
import type { EventContext } from '../../src/core/events/context.ts'
import { eventsOfRefusals } from '../../src/core/http/refusals/events-of-refusals.ts'
import { markAsLogged } from '../../src/core/http/refusals/logged.ts'
import type { RefusalListener } from '../../src/core/http/server/error-handler.ts'
import { assertDistinctReasons } from '../../src/core/module/registry.ts'
import { modules } from '../../src/modules.ts'
import { type TestApp, testApp } from '../app.ts'
import { type OpenedRecord, recordsAfter } from '../audit.ts'

const forged = { authorization: 'Bearer x.y.z' }

suite('a flood of refusals', async () => {
  const app = await testApp()
  const run = (name: string) => app.app.jobs.find((job) => job.name === name)?.run()
  const told = () => app.log.filter(({ event }) => event === 'authn_token_fail')
  const tryFrom = (from: string) => app.call('GET', '/api/me', { headers: forged, from })

  test('is told one by one up to 30 for an address, then as a count, in log and audit log', async () => {
    for (let tries = 0; tries < 33; tries += 1) {
      // All addresses of a /64 are one; another IPv4 address is another.
      assert.equal((await tryFrom(`2001:db8::${tries.toString(16)}`)).status, 401)
    }
    assert.equal(told().length, 30)
    await tryFrom('198.51.100.9')
    assert.equal(told().length, 31)
    await run('counted refusals')
    assert.equal(told().length, 31, 'the minute is not over')
    app.clock.advance(60)
    await run('counted refusals')
    await run('counted refusals')
    const { time: _, ...line } = told().at(-1) ?? {}
    const since = '2026-01-15T12:00:00.000Z'
    const counted = { level: 'info', event: 'authn_token_fail', count: 3, since }
    assert.deepEqual(line, { ...counted, address: '2001:db8:0:0::/64' })
    assert.equal(told().length, 32)
    await run('audit records')
    const records = (await recordsAfter(app.deps, 0)).filter(
      ({ type }) => type === 'authn_token_fail',
    )
    assert.equal(records.length, 32)
    assert.deepEqual(records.at(-1)?.target, { count: 3, since })
    assert.equal(records.at(-1)?.actor?.address, '2001:db8:0:0::/64')
    assert.equal((await tryFrom('2001:db8::1')).status, 401)
    assert.equal(told().length, 33, 'another minute')
  })

  test('takes nothing from what succeeds, and the rest is told when the service stops', async () => {
    const from = '198.51.100.10'
    for (let tries = 0; tries < 32; tries += 1) await tryFrom(from)
    const { username, password } = app.admin
    const answer = await app.call('POST', '/login', { form: { username, password }, from })
    assert.equal(answer.status, 200)
    assert.equal(app.log.at(-1)?.address, from)
    await app.app.server.close()
    const counted = told().filter(({ address, count }) => address === from && count === 2)
    assert.equal(counted.length, 1)
  })
})

suite('the event of a refusal', async () => {
  const app = fastify()
  const listeners: RefusalListener[] = []
  app.decorate('refusalListeners', listeners)
  const context = { by: null, address: null, scheme: null, requestId: null, request: null }
  app.decorateRequest('eventContext', (): EventContext => context)
  const told: [name: string, fields: object][] = []
  const config = { baseUrl: 'http://x', http: { corsOrigins: [] } }
  await app.register(eventsOfRefusals, {
    config: config as never, // all that is read of it
    events: { emit: ({ name }, fields) => void told.push([name, fields]) },
    reasons: await assertDistinctReasons(modules),
  })
  let error: ApiError
  let before = (_request: FastifyRequest) => {}
  app.get('/x/:id', async (request) => {
    before(request)
    for (const listen of listeners) listen(request, error)
    return ''
  })
  const eventsOf = async (row: ErrorName, code?: string, facts = {}) => {
    told.length = 0
    error = new ApiError(row, { reason: { code: code ?? 'x-none', facts } as never })
    await app.inject('/x/secret')
    return [...told]
  }

  for (const code of ['token_revoked', 'token_pair_ended', 'token_signed_out']) {
    test(`is that of a token that was revoked: ${code}`, async () => {
      const facts = { user_id: 7 }
      assert.deepEqual(await eventsOf('invalidToken', code, facts), [
        ['authn_token_reuse', { user_id: 7, kind: 'access' }],
      ])
      assert.deepEqual(await eventsOf('invalidRefreshToken', code), [
        ['authn_token_reuse', { user_id: null, kind: 'refresh' }],
      ])
    })
  }

  for (const code of ['session_idle', 'session_too_old', 'session_ended_with_logins']) {
    test(`is that of a session that has ended: ${code}`, async () => {
      assert.deepEqual(await eventsOf('authenticationRequired', code, { user_id: 7 }), [
        ['session_use_after_expire', { user_id: 7 }],
      ])
    })
  }

  test('has the code of its reason, and the pattern of the route in place of the path', async () => {
    const fields = { error: 'invalidToken', reason: 'claim_exp', route: '/x/:id' }
    assert.deepEqual(await eventsOf('invalidToken', 'claim_exp', { user_id: 7 }), [
      ['authn_token_fail', fields],
    ])
  })

  test('is none for what is no matter of security, and none if it is told already', async () => {
    const untold = [
      'authenticationRequired',
      'invalidCredentials',
      'routeNotFound',
      'userNotFound',
      'usernameExists',
      'preconditionFailed',
      'tooManyRequests',
      'serviceUnavailable',
      'internal',
    ] as const
    for (const row of untold) assert.deepEqual(await eventsOf(row), [], row)
    before = markAsLogged
    assert.deepEqual(await eventsOf('accessDenied'), [])
    before = () => {}
    assert.equal((await eventsOf('accessDenied')).length, 1)
  })
})

suite('A4: the records of two starts', async () => {
  const recordWaiting = ({ app }: TestApp) =>
    app.jobs.find(({ name }) => name === 'audit records')?.run()
  const one = await testApp()
  const use = async (app: TestApp) => {
    for (let times = 0; times < 3; times += 1) {
      app.clock.advance(1)
      await app.session(app.admin)
      await app.call('GET', '/api/me', { headers: forged })
      await recordWaiting(app)
    }
  }

  test('are in the order of time, without a gap in any chain, and a restart goes on', async () => {
    await use(one)
    await one.app.server.close()
    const { directory, clock } = one
    const two = await testApp({}, { directory, clock })
    const before = await recordsAfter(two.deps, 0)
    await use(two)
    const records = await recordsAfter(two.deps, 0)
    assert.deepEqual(records.slice(0, before.length), before)
    assert.equal(records.filter(({ type }) => type === 'authn_token_fail').length, 6)
    assert.equal(records.filter(({ type }) => type === 'session_created').length, 6)
    const chains = new Map<string, OpenedRecord[]>()
    for (const record of records) {
      chains.set(record.chain, [...(chains.get(record.chain) ?? []), record])
    }
    for (const chain of chains.values()) {
      assert.deepEqual(
        chain.map(({ place }) => place),
        chain.map((_, index) => index + 1),
      )
      const times = chain.map(({ at }) => at)
      assert.deepEqual(
        times,
        times.toSorted((left, right) => left - right),
      )
    }
    const own = new Set(before.map(({ chain }) => chain))
    assert.ok(records.slice(before.length).every(({ chain }) => !own.has(chain)))
    assert.equal(new Set(records.map(({ id }) => id)).size, records.length)
  })
})
