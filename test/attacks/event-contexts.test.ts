import assert from 'node:assert/strict'
import { Agent, type IncomingHttpHeaders, request as send } from 'node:http'
import { suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { transact } from '../../src/core/database/transactions.ts'
import { type EventContext, inContext, inNoContext } from '../../src/core/events/context.ts'
import type { RecordedEvent } from '../../src/core/events/events.ts'
import { staleWhileRevalidate } from '../../src/modules/federation/stale-while-revalidate.ts'
import { type Headers, testApp } from '../app.ts'
import { testEvent } from '../events.ts'
import { exchange, rawRequest } from '../raw-http.ts'
import { seedUsers } from '../users.ts'

const callers = 20
const requestsOfEach = 50
const noted = testEvent<{ note: string }>('noted')

suite('the context of an event', async () => {
  const told: RecordedEvent[] = []
  const sinks = { inside: [], afterCommit: [(event: RecordedEvent) => void told.push(event)] }
  const app = await testApp({ LOGIN_TRUSTED_NETWORKS: '127.0.0.99' }, { sinks })
  const { events, db } = app.deps
  const { port } = await app.listen()
  const contexts = () => told.map(({ context }) => context)

  interface Caller {
    readonly userId: number
    readonly scheme: EventContext['scheme']
    readonly headers: Headers
    readonly address: string
  }

  const schemes = ['basic', 'bearer', 'session'] as const
  const everyone: Caller[] = []
  for (let index = 0; index < callers; index += 1) {
    const scheme = schemes[index % schemes.length] ?? 'basic'
    const who = await app.account(`caller${index}`, ['ADMIN'])
    const headers = { ...(await app[scheme](who)), 'user-agent': `caller ${index}` }
    everyone.push({ userId: who.userId, scheme, headers, address: `127.0.0.${index + 2}` })
  }

  /** A context with the facts of its request; of the digests, which scheme they belong to. */
  function shown({ request, ...context }: EventContext): object {
    const { method, route, successStatus, userAgent, session, token } = request ?? {}
    const scheme = session ? 'session' : token ? 'bearer' : 'basic'
    return { ...context, request: [method, route, successStatus, userAgent, scheme] }
  }

  /** One request over a connection of the caller's; its body comes in pieces, with others in between. */
  function put(
    { headers, address }: Caller,
    agent: Agent,
    path: string,
    pieces: readonly string[],
  ): Promise<{ status: number | undefined; headers: IncomingHttpHeaders }> {
    return new Promise((resolve, reject) => {
      const options = { port, host: '127.0.0.1', localAddress: address, agent, method: 'PUT', path }
      const typed = { ...headers, 'content-type': 'application/json' }
      const sent = send({ ...options, headers: typed }, (answer) => {
        answer.resume()
        answer.on('end', () => resolve({ status: answer.statusCode, headers: answer.headers }))
      })
      sent.on('error', reject)
      sent.flushHeaders()
      void (async () => {
        for (const piece of pieces) {
          sent.write(piece)
          await setImmediate()
        }
        sent.end()
      })()
    })
  }

  test('is its own request, of 1,000 of different callers at once', async () => {
    const users = await seedUsers(app, callers * requestsOfEach)
    told.length = 0
    const expected = new Map<number, object>()
    const agents: Agent[] = []
    await Promise.all(
      everyone.map(async (caller, index) => {
        const agent = new Agent({ keepAlive: true, maxSockets: 2 })
        agents.push(agent)
        const own = users.slice(index * requestsOfEach, (index + 1) * requestsOfEach)
        await Promise.all(
          own.map(async ({ id }, place) => {
            const body = JSON.stringify({ name: `By ${index} ${place}` })
            // Every second body in three pieces, the others in one.
            const pieces = place % 2 ? [body] : [body.slice(0, 5), body.slice(5, 9), body.slice(9)]
            const { status, headers } = await put(caller, agent, `/users/${id}`, pieces)
            assert.equal(status, 200)
            expected.set(id, {
              by: String(caller.userId),
              address: caller.address,
              scheme: caller.scheme,
              requestId: String(headers['x-request-id']),
              request: ['PUT', '/users/:id', 200, `caller ${index}`, caller.scheme],
            })
          }),
        )
      }),
    )
    for (const agent of agents) agent.destroy()
    assert.equal(told.length, callers * requestsOfEach)
    const got = new Map(
      told.map(({ payload, context }) => [Number(payload.user_id), shown(context)]),
    )
    assert.deepEqual(got, expected)
    const ids = new Set(contexts().map(({ requestId }) => requestId))
    assert.equal(ids.size, callers * requestsOfEach)
  })

  test('is that of a pipelined request, not of the one before it', async () => {
    const users = await seedUsers(app, 6)
    told.length = 0
    const bytes = users.map(({ id }, place) => {
      const { headers } = everyone[place] ?? {}
      const body = JSON.stringify({ name: 'Piped' })
      const typed = { 'Content-Type': 'application/json', 'Content-Length': String(body.length) }
      const connection = place === users.length - 1 ? 'close' : 'keep-alive'
      return rawRequest(
        `PUT /users/${id} HTTP/1.1`,
        { ...headers, ...typed, Connection: connection },
        body,
      )
    })
    const { answers } = await exchange(port, bytes.join(''))
    assert.deepEqual(
      answers.map(({ status, headers }) => [status, headers['x-request-id']]),
      contexts().map(({ requestId }) => [200, requestId]),
    )
    assert.deepEqual(
      contexts().map(({ by, scheme }) => [by, scheme]),
      everyone.slice(0, users.length).map(({ userId, scheme }) => [String(userId), scheme]),
    )
  })

  test('names no caller if no credential is required, and the address of the client', async () => {
    const { cookie = '' } = await app.session(app.admin)
    told.length = 0
    await app.call('POST', '/logout', { headers: { cookie }, from: '203.0.113.9' })
    const [context] = contexts()
    assert.deepEqual(
      { ...context, requestId: '', request: context?.request?.route },
      { by: null, scheme: null, address: '203.0.113.9', requestId: '', request: '/logout' },
    )
  })

  test('has the address of the client that a trusted caller names, at a login alone', async () => {
    told.length = 0
    const headers = { 'x-forwarded-for': '203.0.113.7' }
    const from = '127.0.0.99'
    const { username, password } = app.admin
    const json = { username, password, mode: 'token' }
    const { body } = await app.call('POST', '/login', { json, headers, from })
    const authorization = `Bearer ${body.token}`
    await app.call('DELETE', '/api/account/sessions', {
      headers: { ...headers, authorization },
      from,
    })
    const addresses = told.map(({ type, context }) => [type.name, context.address])
    assert.deepEqual(
      [...new Map(addresses as [string, string][])].filter(
        ([name]) => name !== 'authn_token_created',
      ),
      [
        ['authn_login_success', '203.0.113.7'],
        ['session_ended', from],
      ],
    )
  })

  test('is that of the caller who is judged again, not of one that came before', async () => {
    // A change of the caller's own account ends its token: the event still names the caller.
    const who = await app.account('leaving', ['ADMIN'])
    const headers = await app.bearer(who)
    told.length = 0
    const path = `/users/${who.userId}`
    assert.equal((await app.call('DELETE', path, { headers })).status, 200)
    assert.deepEqual([contexts()[0]?.by, contexts()[0]?.scheme], [String(who.userId), 'bearer'])
  })

  test('of work that several callers share names none of them', async () => {
    told.length = 0
    const { clock } = app
    const shared = staleWhileRevalidate({
      clock,
      load: async () => {
        await setImmediate()
        events.emit(noted, { note: 'loaded' })
        return 1
      },
      freshMs: 1000,
      coolDownMs: 0,
      keptMs: 10_000,
    })
    await Promise.all([
      inContext('cli', async () => {
        await shared.get()
        events.emit(noted, { note: 'own' })
      }),
      inContext('job', () => shared.get()),
    ])
    await inContext('job', () => inNoContext(async () => events.emit(noted, { note: 'inner' })))
    assert.deepEqual(
      told.map(({ payload, context }) => [payload.note, context.by]),
      [
        ['loaded', null],
        ['own', 'cli'],
        ['inner', null],
      ],
    )
  })

  test('is taken when the event is recorded, not when it is committed', async () => {
    told.length = 0
    await inContext('job', () =>
      transact(db, [], (trx) =>
        inContext('cli', () => events.emitInTransaction(trx, noted, { note: 'x' })),
      ),
    )
    assert.deepEqual(
      contexts().map(({ by }) => by),
      ['cli'],
    )
  })
})
