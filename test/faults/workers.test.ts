import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createConnection, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { freePort } from '../../tools/free-port.ts'
import { asClient, entry } from '../clients.ts'
import { callerOf, type Reply } from './http.ts'
import { admin, bearer, prepareNode, startNode } from './node.ts'
import { preloaded, tellsOfReading, untilToldOfReading, whenRead } from './preload.ts'
import { waitMs, waitUntil } from './waiting.ts'
import {
  databases,
  isRunning,
  startWorkers,
  statusesOf,
  type WorkersNode,
  workerOf,
} from './workers.ts'

const wrong = { username: admin.username, password: 'not the password' }

/** Tells on standard error which intervals a process has: those of the jobs are among them. */
const tellsItsIntervals = `const { setInterval } = globalThis
  globalThis.setInterval = (work, milliseconds, ...more) => {
    process.stderr.write('interval ' + process.pid + ' ' + milliseconds + '\\n')
    return setInterval(work, milliseconds, ...more)
  }`

/** So many logins under way at the moment of `act`, and their answers. */
async function whileLoggingIn(node: WorkersNode, count: number, act: () => void) {
  const logins = Array.from({ length: count }, () =>
    node.call('POST', '/login', { form: { ...admin, mode: 'token' } }),
  )
  await untilToldOfReading(node.service)
  act()
  return Promise.all(logins)
}

async function takenPlace(node: WorkersNode, from: readonly number[]): Promise<void> {
  await waitUntil('a new worker', () => {
    const told = node.lines('event', 'sys_restart').length
    return told > 0 && node.pids().length === 2 && node.pids().join() !== from.join()
  })
}

for (const database of databases) {
  suite(`R15: two workers on ${database}`, () => {
    test('one start: one migration, administrator and ready line, and each job in one of them', async () => {
      const node = await startWorkers({ database, flags: preloaded(tellsItsIntervals) })
      try {
        const ready = node.lines('event', 'sys_startup')
        assert.deepEqual(
          ready.map(({ workers }) => workers),
          [2],
        )
        assert.equal(node.lines('event', 'user_created').length, 1)
        const intervals = [...node.service.output().matchAll(/^interval (\d+) (\d+)$/gm)]
        const purges = intervals.filter(([, , every]) => every === '60000')
        const own = intervals.filter(([, , every]) => every === '1000')
        assert.ok(purges.length > 5)
        assert.equal(new Set(purges.map(([, pid]) => pid)).size, 1)
        assert.equal(new Set(own.map(([, pid]) => pid)).size, 2)
        assert.equal(await node.stop(), 0)
        assert.deepEqual(node.lines('event', 'sys_shutdown').length, 1)
      } finally {
        await node.remove()
      }
    })

    test('a worker that is killed is replaced, and the other serves meanwhile', async () => {
      const node = await startWorkers({ database })
      try {
        const headers = bearer(await node.token())
        for (const index of [1, 0]) {
          const before = node.pids()
          process.kill(Number(before[index]), 'SIGKILL')
          const answers: Reply[] = []
          const serving = waitUntil('answers meanwhile', async () => {
            answers.push(await node.call('GET', '/api/me', { headers }))
            return answers.length === 20
          })
          await Promise.all([serving, takenPlace(node, before)])
          // What the killed one had taken is lost with it, and nothing else.
          assert.ok(answers.filter(({ status }) => status !== 200).length <= 1)
          assert.ok(isRunning(Number(before[1 - index])))
          await waitUntil(
            'its place',
            () => node.lines('event', 'sys_restart').length === 2 - index,
          )
          for (const { status } of await node.atEach('GET', '/api/me', { headers })) {
            assert.equal(status, 200)
          }
        }
        const ended = node.lines('event', 'sys_crash')
        assert.deepEqual(
          ended.map(({ worker, signal }) => [worker, signal]),
          [
            [1, 'SIGKILL'],
            [0, 'SIGKILL'],
          ],
        )
        assert.equal(node.lines('event', 'sys_startup').length, 1)
        assert.equal(await node.stop(), 0)
      } finally {
        await node.remove()
      }
    })

    test('files that broke since the start keep no replacement away: what was read before counts', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'))
      const [rules, clients] = [join(folder, 'rules.json'), join(folder, 'clients.json')]
      const rule = { hosts: ['wiki.example.org'], policy: 'bypass' }
      const secret_hash = `sha256:${hash('sha256', 'a secret of the shop', 'hex')}`
      const client = { id: 'shop', secret_hash, audiences: [], may: ['metrics'] }
      writeFileSync(rules, '{"rules":[]}')
      writeFileSync(clients, JSON.stringify({ clients: [client] }), { mode: 0o600 })
      const files = { FORWARD_AUTH_FILE: rules, CLIENTS_FILE: clients, TRUST_PROXY: '127.0.0.1' }
      const node = await startWorkers({ database, env: files })
      const changed = () => node.lines('event', 'sys_forward_rules_changed').length
      const broken = () => node.lines('event', 'sys_forward_rules_broken').length
      const headers = {
        'x-forwarded-host': 'wiki.example.org',
        'x-forwarded-proto': 'https',
        'x-forwarded-uri': '/',
        'x-forwarded-method': 'GET',
      }
      const statuses = async () =>
        (await node.atEach('GET', '/api/authz/forward', { headers })).map(({ status }) => status)
      try {
        writeFileSync(rules, JSON.stringify({ rules: [rule] }))
        await waitUntil('the change', () => changed() === 1)
        await waitUntil('it at both', async () => String(await statuses()) === '200,200')
        writeFileSync(rules, '{"rules":[{"ho')
        writeFileSync(clients, '')
        await waitUntil('the mistake', () => broken() === 1)
        for (const [index, pid] of node.pids().entries()) {
          process.kill(pid, 'SIGKILL')
          const restarts = () => node.lines('event', 'sys_restart').length
          await waitUntil('another', () => restarts() === index + 1)
        }
        assert.deepEqual(await statuses(), [200, 200])
        await waitUntil('the mistake again', () => broken() === 2)
        assert.equal(node.lines('event', 'sys_crash').length, 2)
        writeFileSync(rules, JSON.stringify({ rules: [{ ...rule, policy: 'deny' }] }))
        await waitUntil('the mended rules', async () => String(await statuses()) === '403,403')
      } finally {
        await node.remove()
        rmSync(folder, { recursive: true })
      }
    })

    test('a stop answers the logins of all workers and ends with 0', async () => {
      // Each worker tells once it has read half of them.
      const node = await startWorkers({ database, flags: preloaded(tellsOfReading('/login', 5)) })
      try {
        const pids = node.pids()
        let exited: Promise<number | null> | undefined
        const answers = await whileLoggingIn(node, 10, () => {
          exited = node.stop()
        })
        assert.deepEqual(statusesOf(answers), { 200: 10 })
        assert.equal(await exited, 0)
        assert.deepEqual(pids.filter(isRunning), [])
        assert.deepEqual(
          node
            .log()
            .slice(-1)
            .map(({ msg }) => msg),
          ['all workers have stopped'], // by the primary, after the event, which a worker records
        )
        assert.equal(node.lines('event', 'sys_shutdown').length, 1)
        assert.equal(node.lines('signal', 'SIGTERM').length, 1)
      } finally {
        await node.remove()
      }
    })

    test('workers whose primary is killed answer what they have read, and end', async () => {
      const node = await startWorkers({ database, flags: preloaded(tellsOfReading('/login', 5)) })
      try {
        const pids = node.pids()
        const answers = await whileLoggingIn(node, 10, () => node.service.process.kill('SIGKILL'))
        const answered = statusesOf(answers)[200] ?? 0
        assert.ok(answered >= 5, 'all that a worker had read') // the rest was with the primary
        await waitUntil('the end of the workers', () => !pids.some(isRunning))
        const lines = node.log().filter(({ msg }) => String(msg).startsWith('the primary process'))
        assert.deepEqual(lines.map(({ worker }) => worker).toSorted(), [0, 1])
      } finally {
        await node.remove()
      }
    })

    test('an end of a token is answered while a worker stands still, which then refuses the token', async () => {
      const node = await startWorkers({ database })
      const kept = Array.from({ length: 8 }, () => callerOf(node.service.url, { most: 1 }))
      try {
        const headers = bearer(await node.token())
        const askAll = () => kept.map(({ call }) => call('GET', '/api/me', { headers }))
        const before = await Promise.all(askAll())
        assert.deepEqual(statusesOf(before), { 200: 8 })
        assert.equal(new Set(before.map(workerOf)).size, 2)
        const pids = node.pids()
        const still = Number(pids[1])
        process.kill(still, 'SIGSTOP')
        // One of them may be handed to the worker that stands still.
        const logouts = [1, 2].map(() => node.call('POST', '/logout', { headers }))
        const answered = logouts.map(async (one) => {
          const { status, milliseconds } = await one
          assert.equal(status, 200)
          return milliseconds
        })
        const milliseconds = await Promise.any(answered) // a lease is one second
        assert.ok(milliseconds < 5_000, `answered after ${milliseconds} ms`)
        const later = askAll()
        await Promise.any(later)
        process.kill(still, 'SIGCONT')
        assert.deepEqual(statusesOf(await Promise.all(later)), { 401: 8 })
        for (const { status } of await node.atEach('GET', '/api/me', { headers })) {
          assert.equal(status, 401)
        }
        await Promise.all(logouts)
        assert.deepEqual(node.pids(), pids)
        assert.deepEqual(node.lines('event', 'sys_crash'), [])
      } finally {
        for (const caller of kept) caller.close()
        await node.remove()
      }
    })

    test('a guess that a killed worker has begun stays counted', async () => {
      // A hash of a second or two; and a port that is the same when both workers are gone.
      const env = {
        LOGIN_ATTEMPTS: '5',
        PASSWORD_ARGON2_PASSES: '50',
        PORT: String(await freePort()),
      }
      const node = await startWorkers({ database, env })
      try {
        const guess = () => node.call('POST', '/login', { form: wrong })
        const guesses = Array.from({ length: 6 }, guess)
        // Five are admitted. The sixth waits for their ends, and finds no free place.
        await Promise.any(guesses.map(async (one) => assert.equal((await one).status, 429)))
        for (const pid of node.pids()) process.kill(pid, 'SIGKILL')
        await Promise.all(guesses)
        await waitUntil('new workers', () => node.lines('event', 'sys_restart').length === 2)
        const right = await node.call('POST', '/login', { form: { ...admin, mode: 'token' } })
        assert.deepEqual([right.status, right.body], [429, { error: 'Too many login attempts' }])
      } finally {
        await node.remove()
      }
    })
  })
}

suite('R15: the processes of a service', () => {
  test('a change does not wait for a worker that is still loading, and does not end it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-slow-'))
    const go = join(folder, 'go')
    // The third process of the cluster is the first that takes the place of another.
    const loadsSlowly = `import cluster from 'node:cluster'
      import { existsSync } from 'node:fs'
      const until = () => existsSync(${JSON.stringify(go)})
      const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
      if (cluster.worker?.id > 2) while (!until()) pause()`
    const node = await startWorkers({ database: 'postgres', flags: preloaded(loadsSlowly) })
    try {
      const headers = bearer(await node.token())
      const before = node.pids()
      process.kill(Number(before[1]), 'SIGKILL')
      await waitUntil('the next one', () => node.lines('event', 'sys_crash').length === 1)
      await waitUntil('its process', () => node.pids().length === 2)
      const { status } = await node.call('POST', '/logout', { headers })
      assert.equal(status, 200)
      writeFileSync(go, '')
      await takenPlace(node, before)
      assert.equal(node.lines('event', 'sys_crash').length, 1)
      assert.deepEqual(node.lines('level', 'error').length, 1)
      for (const { status } of await node.atEach('GET', '/api/me', { headers })) {
        assert.equal(status, 401)
      }
    } finally {
      writeFileSync(go, '')
      await node.remove()
      rmSync(folder, { recursive: true })
    }
  })

  test('wrong secrets of a client are answered and count while a worker stands still', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'))
    const CLIENTS_FILE = join(folder, 'clients.json')
    writeFileSync(CLIENTS_FILE, JSON.stringify({ clients: [entry('shop')] }), { mode: 0o600 })
    const node = await startWorkers({ env: { CLIENTS_FILE, LOGIN_ATTEMPTS: '5' } })
    const asked = (secret?: string) => ({ headers: asClient('shop', secret), form: { token: 'x' } })
    const rightAtEach = async () =>
      (await node.atEach('POST', '/oauth/introspect', asked())).map(({ status }) => status)
    try {
      assert.deepEqual(await rightAtEach(), [200, 200]) // both remember the secret
      const pids = node.pids()
      process.kill(Number(pids[1]), 'SIGSTOP')
      let answered = 0
      // One is handed to the worker that stands still.
      const guesses = Array.from({ length: 8 }, async () => {
        const reply = await node.call('POST', '/oauth/introspect', asked('wrong'))
        answered += 1
        return reply
      })
      await waitUntil('the other answers', () => answered === 7)
      process.kill(Number(pids[1]), 'SIGCONT')
      assert.deepEqual(statusesOf(await Promise.all(guesses)), { 401: 5, 429: 3 })
      assert.deepEqual(await rightAtEach(), [429, 429]) // neither remembers it
      assert.deepEqual(node.pids(), pids)
      assert.deepEqual(node.lines('event', 'sys_crash'), [])
    } finally {
      await node.remove()
      rmSync(folder, { recursive: true })
    }
  })

  test('DATABASE_POOL_MAX is for all workers together, besides a connection of each that listens', async () => {
    const node = await startWorkers({ database: 'postgres', env: { DATABASE_POOL_MAX: '5' } })
    try {
      const headers = bearer(await node.token())
      const json = { name: 'N', email: 'n@example.org' }
      const calls = Array.from({ length: 200 }, () =>
        node.call('POST', '/users', { headers, json }),
      )
      assert.deepEqual(statusesOf(await Promise.all(calls)), { 201: 200 })
      const connections = await node.connections()
      assert.ok(connections >= 5 && connections <= 7, String(connections))
    } finally {
      await node.remove()
    }
  })

  test('lines of the log are whole, however long a request is and whichever process writes them', async () => {
    const node = await startWorkers({ count: 3, env: { LOG_LEVEL: 'debug' } })
    try {
      const path = `/users/${'x'.repeat(9000)}`
      const callers = Array.from({ length: 1000 }, () => node.call('GET', path))
      await Promise.all(callers)
      await node.stop()
      await waitUntil('the last line', () => node.lines('msg', 'stopped').length === 1)
      const lines = node.lines('msg', 'request').filter(({ route }) => route === '/users/:id')
      assert.equal(lines.length, 1000) // together more than a pipe holds
      // What a caller sends is in none of them, so that a pipe takes each at once.
      const longest = Math.max(...lines.map((line) => JSON.stringify(line).length))
      assert.ok(longest < 1000, String(longest))
    } finally {
      await node.remove()
    }
  })

  test('a start that fails ends all with one sentence and exit code 1', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const address = taken.address()
    assert.ok(address && typeof address === 'object')
    for (const [env, sentence] of [
      [
        { PORT: String(address.port) },
        /^Gatehouse cannot start: .*EADDRINUSE.*set PORT to another port$/gm,
      ],
      [
        { LOGIN_TOKEN_SECONDS: '0' },
        /^ {2}LOGIN_TOKEN_SECONDS must be a whole number of at least 1$/gm,
      ],
      [{ MASTER_KEY: 'ab' }, /^ {2}MASTER_KEY must be 32 bytes/gm],
    ] as const) {
      const node = prepareNode({ env: { WORKERS: '2', ...env } })
      try {
        const failure = await node.start().then(
          () => assert.fail('it has started'),
          (error: Error) => error.message,
        )
        assert.match(failure, /^exit 1 before/)
        assert.equal(failure.match(sentence)?.length, 1, failure)
      } finally {
        await node.remove()
      }
    }
    taken.close()
  })

  test('a wrong WORKERS is told as any other mistake', async () => {
    for (const WORKERS of ['0', '-1', '1000', '1.5', 'two']) {
      const failure = await startNode({ env: { WORKERS } }).then(
        () => assert.fail('it has started'),
        (error: Error) => error.message,
      )
      assert.match(failure, /^exit 1 before/)
      assert.match(failure, /^ {2}WORKERS must be auto, or a whole number from 1 to 32$/m)
    }
  })

  test('one worker is one process, without a primary', async () => {
    for (const WORKERS of ['', '1']) {
      const node = await startWorkers({ count: 1, env: { WORKERS } })
      try {
        assert.deepEqual(node.pids(), [])
        assert.ok(!('workers' in (node.lines('event', 'sys_startup')[0] ?? {})))
        assert.equal(await node.stop(), 0)
      } finally {
        await node.remove()
      }
    }
  })

  test('a worker that fails stops by itself and is replaced', async () => {
    const fails = whenRead('/nothing', 1, `setImmediate(() => { throw new Error('a fault') })`)
    const node = await startWorkers({ flags: preloaded(fails) })
    try {
      const before = node.pids()
      await node.call('GET', '/nothing')
      await takenPlace(node, before)
      assert.deepEqual(
        node.lines('event', 'sys_crash').map(({ reason }) => reason),
        ['uncaughtException'],
      )
      assert.deepEqual(
        node.lines('event', 'sys_restart').map(({ worker, code }) => [worker, code]),
        [[0, 1]],
      )
      assert.equal(await node.stop(), 0)
    } finally {
      await node.remove()
    }
  })

  test('a second signal ends all at once, with 1', async () => {
    const node = await startWorkers({ flags: preloaded(tellsOfReading('/login', 1)) })
    const { hostname, port } = new URL(node.service.url)
    const socket = createConnection(Number(port), hostname)
    try {
      socket.on('error', () => {})
      const head = 'POST /login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'
      socket.write(`${head}Content-Length: 99\r\n\r\n{`)
      await untilToldOfReading(node.service)
      const pids = node.pids()
      const exited = node.stop()
      await waitUntil('the stop', () => node.service.output().includes('stopping'))
      await waitMs(2100)
      node.service.process.kill('SIGTERM')
      assert.equal(await exited, 1)
      await waitUntil('their end', () => !pids.some(isRunning))
      assert.deepEqual(node.lines('event', 'sys_shutdown'), [])
    } finally {
      socket.destroy()
      await node.remove()
    }
  })

  test('a signal to a worker alone changes nothing', async () => {
    const node = await startWorkers()
    try {
      const pids = node.pids()
      for (const pid of pids) process.kill(pid, 'SIGTERM')
      for (const { status } of await node.atEach('GET', '/health/ready')) assert.equal(status, 200)
      assert.deepEqual(node.pids(), pids)
      assert.equal(await node.stop(), 0)
    } finally {
      await node.remove()
    }
  })
})
