import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { lockFileName } from '../../src/core/workers/service-lock.ts'
import {
  admin,
  bearer,
  cookieOf,
  prepareNode,
  type ServiceNode,
  startNode,
} from '../faults/node.ts'
import { preloaded } from '../faults/preload.ts'
import { waitUntil } from '../faults/waiting.ts'
import { answersIn } from '../raw-http.ts'
import { until } from '../until.ts'

const password = 'quiet melons roll downhill'
const gateFile = 'gate'

/**
 * Runs inside the service: while the file exists, the process stops behind each read of the
 * database's version, says so, and goes on once the file holds a number as high.
 */
const pausesBehindReads = `
  import { existsSync, readFileSync, writeSync } from 'node:fs'
  import { join } from 'node:path'
  import { StatementSync } from 'node:sqlite'
  const gate = join(process.env.DATA_DIR, '${gateFile}')
  const opened = () => {
    try {
      return Number(readFileSync(gate, 'utf8'))
    } catch {
      return Infinity // it has just been removed
    }
  }
  const sleeping = new Int32Array(new SharedArrayBuffer(4))
  let reads = 0
  for (const verb of ['all', 'get']) {
    const read = StatementSync.prototype[verb]
    StatementSync.prototype[verb] = function (...values) {
      const result = read.apply(this, values)
      if (!/data_version/i.test(this.sourceSQL)) return result
      reads = existsSync(gate) ? reads + 1 : 0
      if (opened() < reads) writeSync(2, 'paused ' + reads + '\\n')
      while (opened() < reads) Atomics.wait(sleeping, 0, 0, 2)
      return result
    }
  }`

/**
 * Two processes on one SQLite file. One of them is paused right behind a read of the database's
 * version; meanwhile the other one acknowledges an end, and only then the last bytes of a request
 * arrive at the paused one, on a connection that the same turn of its event loop is about to read.
 * Spec 3.2.
 */
suite('an end that was acknowledged elsewhere while this process was paused', () => {
  let starting: Promise<{ paused: ServiceNode; other: ServiceNode }> | undefined
  const place = () => {
    starting ??= startBoth()
    return starting
  }
  after(async () => {
    if (!starting) return
    const { paused, other } = await starting
    await other.remove()
    await paused.remove()
  })

  test('a bearer token that logged out is refused', async () => {
    const { other } = await place()
    const [headers, steady] = [bearer(await other.token()), bearer(await other.token())]
    const status = await askAfter({ path: '/api/me', headers, steady }, () =>
      other.caller.call('POST', '/logout', { headers }),
    )
    assert.equal(status, 401)
  })

  test('a session that logged out is refused', async () => {
    const { other } = await place()
    const [headers, steady] = [await session(admin), await session(admin)]
    const status = await askAfter({ path: '/api/protected', headers, steady }, () =>
      other.caller.call('POST', '/logout', { headers }),
    )
    assert.equal(status, 401)
  })

  for (const scheme of ['bearer', 'session', 'basic'] as const) {
    test(`an account that was locked is refused: ${scheme}`, async () => {
      const { other } = await place()
      const who = await account(`locked-${scheme}`)
      const token = bearer(await other.token())
      const credentials = {
        bearer: async () =>
          bearer((await other.caller.call('POST', '/login', { json: who })).body.token),
        session: () => session(who),
        basic: async () => ({ authorization: `Basic ${btoa(`${who.username}:${who.password}`)}` }),
      }
      const headers = await credentials[scheme]()
      // Of the same kind, so that it asks for the same version.
      const steady = scheme === 'session' ? await session(admin) : token
      const path = scheme === 'bearer' ? '/api/me' : '/api/account'
      const steadyPath = scheme === 'session' ? '/api/account' : '/api/me'
      const status = await askAfter({ path, headers, steady, steadyPath }, () =>
        other.caller.call('PUT', `/api/admin/accounts/${who.username}`, {
          headers: token,
          json: { locked: true },
        }),
      )
      assert.equal(status, 401)
    })
  }

  async function startBoth() {
    const paused = await startNode({ flags: preloaded(pausesBehindReads) })
    // A worker or a command in real life: a second service does not start while the lock is there.
    rmSync(join(paused.directory, lockFileName))
    const other = prepareNode({ directory: paused.directory })
    await other.start()
    return { paused, other }
  }

  async function session(who: { username: string; password: string }) {
    const { other } = await place()
    return { cookie: cookieOf(await other.login('session', who)) }
  }

  async function account(username: string) {
    const { other } = await place()
    const { status } = await other.caller.call('POST', '/api/admin/accounts', {
      headers: bearer(await other.token()),
      json: {
        username,
        password,
        roles: ['USER'],
        name: username,
        email: `${username}@example.com`,
      },
    })
    assert.equal(status, 201)
    return { username, password }
  }

  /** The status of a request that was sent whole after `end` had been acknowledged elsewhere. */
  async function askAfter(
    asked: {
      readonly path: string
      readonly headers: Record<string, string>
      /** Credentials of the same kind that stay good, and where they are used. */
      readonly steady: Record<string, string>
      readonly steadyPath?: string
    },
    end: () => Promise<{ status: number }>,
  ): Promise<number | undefined> {
    const { paused } = await place()
    const gate = join(paused.directory, gateFile)
    const { path, headers, steady, steadyPath = path } = asked
    // All of it is known to the process that will be paused.
    assert.equal((await paused.caller.call('GET', path, { headers })).status, 200)
    assert.equal((await paused.caller.call('GET', steadyPath, { headers: steady })).status, 200)
    const [first, second, late] = await Promise.all([opened(), opened(), opened()])
    const heard = paused.service.output().length
    const isPaused = (times: number) => () =>
      paused.service.output().slice(heard).includes(`paused ${times}\n`)

    writeFileSync(gate, '0')
    first.socket.write(request(steadyPath, steady))
    await waitUntil('the first pause', isPaused(1))
    // Both wait for the next turn, in this order; the second one is not whole.
    second.socket.write(request(steadyPath, steady))
    const whole = request(path, headers)
    late.socket.write(whole.slice(0, -2))
    writeFileSync(gate, '1')
    await waitUntil('the second pause', isPaused(2))
    assert.equal((await end()).status, 200)
    late.socket.write(whole.slice(-2))
    rmSync(gate)
    assert.deepEqual([await first.lastStatus(), await second.lastStatus()], [200, 200])
    return late.lastStatus()
  }

  /** A connection that the paused process has taken already: it has answered on it once. */
  async function opened(): Promise<Opened> {
    const { paused } = await place()
    const { hostname, port } = new URL(paused.service.url)
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    let text = ''
    socket.setEncoding('latin1')
    socket.on('data', (part: string) => {
      text += part
    })
    const closed = new Promise<void>((resolve, reject) => {
      socket.once('error', reject)
      socket.once('close', () => resolve())
    })
    socket.write('GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n')
    await until(() => answersIn(text).length === 1)
    return {
      socket,
      lastStatus: async () => {
        await closed
        return answersIn(text)[1]?.status
      },
    }
  }
})

interface Opened {
  readonly socket: Socket
  /** Of the second answer, once the connection is closed. */
  readonly lastStatus: () => Promise<number | undefined>
}

function request(path: string, headers: Record<string, string>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n${lines.join('')}\r\n`
}
