import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { maxWaitingOfAll, maxWaitingRequests } from '../../src/core/http/connections/pipelining.ts'
import { testApp } from '../app.ts'
import { exchange, rawRequest } from '../raw-http.ts'
import { assertRefusal } from '../refusal.ts'
import { navigation } from '../test-browser.ts'
import { until } from '../until.ts'
import { watchedDatabase } from '../watched-database.ts'

/** Enough turns of the event loop for all requests that may start. */
async function manyTurns(): Promise<void> {
  for (let turn = 0; turn < 40; turn += 1) await setImmediate()
}

suite('very many requests for pages', async () => {
  let gate: PromiseWithResolvers<void> | null = null
  let begun = 0
  const app = await testApp(
    { TRUST_PROXY: '127.0.0.1' },
    await watchedDatabase(async ({ table }) => {
      if (!gate || table !== 'flows') return
      begun += 1
      await gate.promise
    }),
  )
  const { port } = await app.listen()
  const cookie = `__Host-flow=${'c'.repeat(43)}`
  /** A page that reads its flow, and waits at that while the gate is closed. */
  const page = (address: string, accept = navigation) =>
    app.call('GET', `/signin?flow=${'f'.repeat(43)}`, {
      headers: { accept, cookie, 'x-forwarded-for': address },
    })
  const hold = () => {
    gate = Promise.withResolvers()
    begun = 0
  }
  const letAllGo = () => {
    gate?.resolve()
    gate = null
  }

  test('of one address 8 are worked on and 64 wait, one more is 503; others are served', async () => {
    hold()
    const answers = Array.from({ length: 72 }, () => page('192.0.2.1'))
    await until(() => begun === 8)
    const before = await app.rows('refusals')
    const refused = await page('192.0.2.1')
    assert.equal(refused.status, 503)
    assert.equal(refused.headers['retry-after'], '1')
    assert.match(String(refused.headers['content-type']), /^text\/html/)
    assert.match(refused.text, /<h1/)
    const program = await page('192.0.2.1', 'application/json')
    assertRefusal(program, 503, 'Service unavailable')
    assert.deepEqual(await app.rows('refusals'), before)
    const other = page('192.0.2.2')
    await until(() => begun === 9)
    for (const path of ['/health/live', '/api/public/status', '/']) {
      const answer = await app.call('GET', path, { headers: { 'x-forwarded-for': '192.0.2.1' } })
      assert.equal(answer.status, 200, path)
    }
    letAllGo()
    for (const answer of await Promise.all([...answers, other])) assert.equal(answer.status, 303)
    assert.equal((await page('192.0.2.1')).status, 303)
  })

  test('of all addresses 16 are worked on, and forms have places of their own', async () => {
    hold()
    const answers = Array.from({ length: 40 }, (_, index) => page(`192.0.2.${10 + index}`))
    await until(() => begun === 16)
    await manyTurns()
    assert.equal(begun, 16)
    const form = await app.call('POST', '/signin', { headers: { cookie }, form: {} })
    assertRefusal(form, 400, 'Sign-in failed')
    letAllGo()
    for (const answer of await Promise.all(answers)) assert.equal(answer.status, 303)
  })

  test('a form that is never sent to its end takes no place', async () => {
    const type = 'Content-Type: application/x-www-form-urlencoded'
    const head = `POST /signin HTTP/1.1\r\nHost: a\r\n${type}\r\nContent-Length: 50\r\n\r\ncsrf`
    const sockets: Socket[] = []
    for (let count = 0; count < 70; count += 1) {
      const socket = connect(port, '127.0.0.1')
      sockets.push(socket)
      await new Promise((done) => socket.write(head, done))
    }
    const form = await app.call('POST', '/signin', { headers: { cookie }, form: {} })
    assertRefusal(form, 400, 'Sign-in failed')
    for (const socket of sockets) socket.destroy()
  })

  test('who has gone while it waited is not served', async () => {
    hold()
    const answers = Array.from({ length: 8 }, () => page('127.0.0.1'))
    await until(() => begun === 8)
    const request = rawRequest(`GET /signin?flow=${'f'.repeat(43)} HTTP/1.1`, {
      cookie,
      'x-forwarded-for': '127.0.0.1',
    })
    let requests = 0
    const count = () => {
      requests += 1
    }
    app.app.server.server.on('request', count)
    await exchange(port, request, {
      opened: (socket) => void until(() => requests === 1).then(() => socket.resetAndDestroy()),
    })
    app.app.server.server.off('request', count)
    await manyTurns()
    const open = gate
    hold()
    open?.resolve()
    for (const answer of await Promise.all(answers)) assert.equal(answer.status, 303)
    await manyTurns()
    assert.equal(begun, 0)
    letAllGo()
  })
})

suite('very many pipelined requests', async () => {
  let gate: PromiseWithResolvers<void> | null = null
  let begun = 0
  const app = await testApp(
    {},
    await watchedDatabase(async ({ table }) => {
      if (!gate || table !== 'users') return
      begun += 1
      await gate.promise
    }),
  )
  const { port } = await app.listen()
  const headers = await app.bearer(app.admin)
  const get = (Connection = 'keep-alive') =>
    rawRequest('GET /users/1 HTTP/1.1', { ...headers, Connection })

  test('while very many wait, a connection with one more is served no further', async () => {
    gate = Promise.withResolvers()
    const needed = maxWaitingOfAll / maxWaitingRequests
    const small = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
    let requests = 0
    app.app.server.server.on('request', () => {
      requests += 1
    })
    const held: Socket[] = []
    for (let count = 0; count < needed; count += 1) {
      const socket = connect(port, '127.0.0.1').on('error', () => {})
      held.push(socket)
      socket.write(get() + small.repeat(maxWaitingRequests))
    }
    const all = needed + maxWaitingOfAll
    await until(() => requests === all && begun === needed)
    const late = connect(port, '127.0.0.1').on('error', () => {})
    late.write(get() + small.repeat(30))
    await until(() => requests > all)
    await manyTurns()
    assert.equal(begun, needed)
    const other = exchange(port, get('close'))
    await until(() => begun === needed + 1)
    for (const socket of [...held, late]) socket.resetAndDestroy()
    gate.resolve()
    gate = null
    assert.equal((await other).answers[0]?.status, 200)
    await manyTurns()
    const { answers } = await exchange(port, get() + get('close'))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    )
  })
})
