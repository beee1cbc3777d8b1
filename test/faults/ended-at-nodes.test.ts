import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import pg from 'pg'
import { channel } from '../../src/core/database/postgres/notification.ts'
import { type RestartableCluster, startCluster } from './cluster.ts'
import type { Reply } from './http.ts'
import { bearer, cookieOf, isReady, type ServiceNode, startNode } from './node.ts'
import { waitMs, waitUntil } from './waiting.ts'

// An end waits for a lease and its margin; the rest is for a busy machine.
const [leaseMs, mostMs] = [1000, 10_000]
/** The smallest that the server allows: 64 pages of 8 KiB. */
const smallQueue = { max_notify_queue_pages: '64' }

/** Ends at one node while another node or PostgreSQL fails, in processes of their own. */
suite('an end is true at every node when it is answered', () => {
  let starting: Promise<Place> | undefined
  const place = () => {
    starting ??= startPlace()
    return starting
  }
  after(async () => (await starting)?.remove())

  test('a node that stands still for ten seconds and goes on', async () => {
    const { near, far, credentials, stop, goOn } = await place()
    const all = await credentials()
    stop(far)
    const [stoppedAt, answers] = [performance.now(), await Promise.all(all.map(({ end }) => end()))]
    for (const { status, milliseconds } of answers) {
      assert.equal(status, 200)
      assert.ok(milliseconds < mostMs, String(milliseconds))
    }
    const [first = 0] = answers.map(({ milliseconds }) => milliseconds)
    assert.ok(first >= leaseMs - 400, String(first)) // its lease was renewed a moment before
    const asked = all.map(({ use }) => use(far)) // sent to a node that stands still
    await waitMs(10_000 - (performance.now() - stoppedAt))
    goOn(far)
    assert.deepEqual(statusesOf(await Promise.all(asked)), [401, 401])
    assert.deepEqual(statusesOf(await Promise.all(all.map(({ use }) => use(near)))), [401, 401])
  })

  test('the node that ends is killed between commit and answer', async () => {
    const { near, far, credentials, stop, goOn, ended } = await place()
    const all = await credentials()
    const before = await ended()
    stop(far) // so that the answer waits
    const answers = Promise.all(all.map(({ end }) => end()))
    await waitUntil('both commits', async () => (await ended()) === before + 2)
    await waitMs(50)
    await near.kill()
    assert.deepEqual(statusesOf(await answers), [0, 0])
    goOn(far)
    await Promise.all([waitUntil('the end', () => refuses(all, far)), near.start()])
    assert.equal(await refuses(all, near), true)
  })

  test('PostgreSQL is killed and started again between commit and answer', async () => {
    const { near, far, cluster, credentials, stop, goOn, ended } = await place()
    const all = await credentials()
    const before = await ended()
    stop(far)
    const ends = Promise.all(all.map(({ end }) => end()))
    await waitUntil('both commits', async () => (await ended()) === before + 2)
    await cluster.end('SIGKILL')
    await cluster.start()
    const answers = await ends
    const asked = Promise.all(all.map(({ use }) => use(far)))
    goOn(far)
    for (const [index, { status }] of (await asked).entries()) {
      const ended = answers[index]?.status
      assert.ok(ended === 200 || ended === 503, String(ended))
      if (ended === 200) assert.ok(status === 401 || status === 503, String(status))
    }
    for (const node of [near, far]) await waitUntil('a node', () => isReady(node))
  })

  test('the queue of notifications is full', async () => {
    const { near, far, credentials, connect } = await place()
    const all = await credentials()
    const [reader, writer] = [await connect(), await connect()]
    await reader.query(`listen ${channel}; begin; select`) // it reads no more
    const payload = `x ${'x'.repeat(7000)}`
    const fill = async () => {
      for (;;) await writer.query(`select pg_notify('${channel}', $1)`, [payload])
    }
    await assert.rejects(fill, { code: '54000' })
    for (const { end, use } of all) {
      const { status, milliseconds } = await end()
      assert.equal(status, 200)
      assert.ok(milliseconds >= leaseMs && milliseconds < mostMs, String(milliseconds))
      assert.deepEqual(statusesOf(await Promise.all([far, near].map(use))), [401, 401])
    }
    await reader.query('rollback')
    for (const client of [reader, writer]) await client.end()
  })
})

interface Credential {
  end(): Promise<Reply>
  use(node: ServiceNode): Promise<Reply>
}

interface Place {
  readonly cluster: RestartableCluster
  readonly near: ServiceNode
  readonly far: ServiceNode
  /** A token and a session that both nodes know. */
  credentials(): Promise<readonly [Credential, Credential]>
  stop(node: ServiceNode): void
  goOn(node: ServiceNode): void
  /** Rises with each end that is committed. */
  ended(): Promise<number>
  connect(): Promise<pg.Client>
  remove(): Promise<void>
}

async function startPlace(): Promise<Place> {
  const cluster = await startCluster(smallQueue)
  const database = await cluster.createDatabase()
  const env = { DATABASE_URL: cluster.url(database), DATABASE_TIMEOUT_MS: '20000' }
  const near = await startNode({ env })
  const far = await startNode({ env })
  const signal = ({ service }: ServiceNode, name: NodeJS.Signals) =>
    process.kill(service.process.pid ?? 0, name)
  return {
    cluster,
    near,
    far,

    async credentials() {
      const token = bearer(await near.token())
      const login = await near.login('session')
      const session = {
        cookie: cookieOf(login),
        'x-csrf-token': String(login.body.csrf_token),
      }
      const made = [
        ['/api/me', token],
        ['/api/session', session],
      ] as const
      const [first, second] = made.map(
        ([path, headers]): Credential => ({
          end: () => near.caller.call('POST', '/logout', { headers }),
          use: ({ caller }) => caller.call('GET', path, { headers }),
        }),
      )
      assert.ok(first && second)
      for (const node of [near, far, near, far]) {
        const used: Reply[] = await Promise.all([first.use(node), second.use(node)])
        assert.deepEqual(statusesOf(used), [200, 200])
      }
      return [first, second]
    },

    stop: (node) => signal(node, 'SIGSTOP'),
    goOn: (node) => signal(node, 'SIGCONT'),

    async ended() {
      const text = `select (select count(*) from revocations) - (select count(*) from sessions) as n`
      const [row] = await cluster.query<{ n: string }>(database, text)
      return Number(row?.n)
    },

    async connect() {
      const client = new pg.Client({ connectionString: cluster.url(database) })
      client.on('error', () => {})
      await client.connect()
      return client
    },

    async remove() {
      signal(far, 'SIGCONT')
      for (const node of [near, far]) await node.remove()
      await cluster.remove()
    },
  }
}

async function refuses(all: readonly Credential[], node: ServiceNode): Promise<boolean> {
  const used = await Promise.all(all.map(({ use }) => use(node)))
  return used.every(({ status }) => status === 401)
}

function statusesOf(answers: readonly Reply[]): number[] {
  return answers.map(({ status }) => status)
}
