import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { maxWaitingRequests } from '../../src/core/http/connections/pipelining.ts'
import { testApp } from '../app.ts'
import { exchange, rawRequest } from '../raw-http.ts'
import { assertRefusal } from '../refusal.ts'
import { until } from '../until.ts'
import { watchedDatabase } from '../watched-database.ts'

/** Enough for all that could have begun to begin. */
async function manyTurns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await setImmediate()
}

suite('pipelined requests of one connection', async () => {
  let gate: PromiseWithResolvers<void> | null = null
  let begun = 0
  let working = 0
  const app = await testApp(
    {},
    await watchedDatabase(async ({ table }) => {
      if (!gate || table !== 'users') return
      begun += 1
      working += 1
      await gate.promise
      working -= 1
    }),
  )
  const { port } = await app.listen()
  const headers = await app.bearer(app.admin)
  const get = (path: string, Connection = 'keep-alive') =>
    rawRequest(`GET ${path} HTTP/1.1`, { ...headers, Connection })

  /** Lets what is under way go on, and holds what begins next. */
  function letGo(): void {
    const open = gate
    gate = Promise.withResolvers()
    open?.resolve()
  }

  /** From here on each read of users waits. */
  function hold(): void {
    gate = Promise.withResolvers()
    begun = 0
  }

  for (const behind of [1, 2]) {
    test(`an error in the body of a request is told behind ${behind} answers before it`, async () => {
      hold()
      const bad = `POST /users HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`
      const before = Array.from({ length: behind }, () => get('/users/1')).join('')
      const done = exchange(port, before + bad)
      for (let turn = 1; turn <= behind; turn += 1) {
        await until(() => begun >= turn)
        await manyTurns()
        letGo()
      }
      const { answers } = await done
      assert.deepEqual(
        answers.map(({ status }) => status),
        [...Array.from({ length: behind }, () => 200), 400],
      )
      for (const answer of answers.slice(-1)) assertRefusal(answer, 400, 'Bad request')
    })
  }

  test('are worked on one after another, and answered in their order', async () => {
    hold()
    const paths = ['/users/1', '/users/999', '/users/1', '/users/998']
    const last = get('/users/997', 'close')
    const done = exchange(port, paths.map((path) => get(path)).join('') + last)
    for (let turn = 1; turn <= 5; turn += 1) {
      await until(() => begun >= turn)
      await manyTurns()
      assert.deepEqual([begun, working], [turn, 1])
      letGo()
    }
    const { answers } = await done
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 404, 200, 404, 404],
    )
    assert.equal(JSON.parse(answers[2]?.body ?? '').id, 1)
  })

  test('other connections are served meanwhile', async () => {
    hold()
    const done = exchange(port, get('/users/1') + get('/users/1', 'close'))
    await until(() => begun === 1)
    const other = await exchange(port, get('/health/live', 'close'))
    assert.equal(other.answers[0]?.status, 200)
    letGo()
    await until(() => begun === 2)
    letGo()
    assert.equal((await done).answers.length, 2)
  })

  test('what comes behind a request whose answer ends the connection is not done', async () => {
    hold()
    const withoutHost = 'GET /users/1 HTTP/1.1\r\n\r\n'
    const { answers } = await exchange(port, withoutHost + get('/users/1').repeat(2))
    await manyTurns()
    assert.deepEqual([answers.map(({ status }) => status), begun], [[400], 0])
    gate = null
  })

  test('as many as may wait are all answered', async () => {
    gate = null
    const done = exchange(
      port,
      get('/users/1').repeat(maxWaitingRequests) + get('/users/1', 'close'),
    )
    const statuses = (await done).answers.map(({ status }) => status)
    assert.deepEqual(statuses, Array(maxWaitingRequests + 1).fill(200))
  })

  test('one more ends the connection, and nothing of the rest is done', async () => {
    hold()
    const small = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1000)
    const { text } = await exchange(port, get('/users/1') + small)
    await manyTurns()
    // The first of them waits for the end of the turn, and by then its client has gone.
    assert.deepEqual([text, begun], ['', 0])
    gate = null
    const { answers } = await exchange(port, get('/users/1', 'close'))
    assert.equal(answers[0]?.status, 200)
  })

  test('a client that leaves takes its waiting requests with it', async () => {
    hold()
    let requests = 0
    const count = () => {
      requests += 1
    }
    app.app.server.server.on('request', count)
    await exchange(port, get('/users/1').repeat(3), {
      opened: (socket) =>
        void until(() => requests === 3 && begun === 1).then(() => socket.resetAndDestroy()),
    })
    letGo()
    await manyTurns()
    letGo()
    await manyTurns()
    app.app.server.server.off('request', count)
    assert.equal(begun, 1)
    gate = null
  })
})
