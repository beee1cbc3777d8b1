// A database makes a difference: numbers of late commits, snapshots, and what a loss of it is.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { PassThrough, Writable } from 'node:stream'
import { after, suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { main } from '../../src/cli/run.ts'
import { DatabaseUnavailable } from '../../src/core/database/errors.ts'
import { inSnapshot } from '../../src/core/database/snapshot.ts'
import { exportRecords, followRecords, type Seen } from '../../src/modules/audit/export.ts'
import type { OpenedRecord } from '../../src/modules/audit/opened-record.ts'
import { type TestApp, testApp } from '../app.ts'
import { recordSeeder } from '../audit-records.ts'
import { steppingClock } from '../clock.ts'
import { connectTo, databaseSettings, postgresOnly } from '../database.ts'
import { until } from '../until.ts'
import { gatehouse } from './gatehouse.ts'

const parse = (text: string): OpenedRecord[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
const requestIds = (records: readonly OpenedRecord[]) =>
  records.map(({ request_id }) => request_id).filter((id) => id?.startsWith('r-'))

suite('gatehouse audit export', async () => {
  const app = await testApp()
  const headers = await app.bearer(app.admin)
  const { seed } = await recordSeeder(app.deps)
  const now = app.clock.now()
  const clock = steppingClock(app.clock)
  const run = (words: string) => gatehouse(app.directory, words, { clock })

  test('writes all records as lines of JSON, the oldest first, its own reading among them', async () => {
    await seed([
      { requestId: 'r-1', at: now - 10_000, chain: 'one' },
      { requestId: 'r-2', at: now - 9_000, chain: 'two' },
      { requestId: 'r-3', at: now - 9_500, chain: 'one' }, // it waited for the database
      { requestId: 'r-4', at: now - 1_000 },
    ])
    const { code, stdout, stderr } = await run('audit export')
    assert.deepEqual([code, stderr], [0, ''])
    const records = parse(stdout)
    assert.deepEqual(requestIds(records), ['r-1', 'r-2', 'r-3', 'r-4'])
    const numbers = records.map(({ number }) => number)
    assert.deepEqual(
      numbers,
      numbers.toSorted((one, other) => one - other),
    )
    const last = records.at(-1)
    assert.deepEqual(
      [last?.type, last?.actor.kind, last?.details],
      ['sensitive_read', 'cli', { what: 'audit', filters: [] }],
    )
    const { body } = await app.call('GET', '/api/admin/audit?limit=1000', { headers })
    const shown = new Map(body.data.map((record: OpenedRecord) => [record.id, record]))
    for (const record of records) assert.deepEqual(record, shown.get(record.id))
  })

  test('--since takes a time, or a duration before now', async () => {
    const time = new Date(now - 9_500).toISOString()
    for (const [since, found] of [
      [time, ['r-2', 'r-3', 'r-4']],
      ['9s', ['r-2', 'r-4']],
      ['1m', ['r-1', 'r-2', 'r-3', 'r-4']],
      ['2000-01-01T00:00:00+02:00', ['r-1', 'r-2', 'r-3', 'r-4']],
      ['2100-01-01T00:00:00Z', []],
    ] as const) {
      const { code, stdout } = await run(`audit export --since ${since}`)
      assert.equal(code, 0)
      assert.deepEqual(requestIds(parse(stdout)), found, since)
    }
  })

  test('--since of anything else is wrong usage, and reads nothing', async () => {
    const rows = await app.rows()
    for (const since of ['yesterday', '24', '-1h', '1y', '1e3s', '2026-02-30T00:00:00Z']) {
      const { code, stdout, stderr } = await run(`audit export --since=${since}`)
      assert.deepEqual([code, stdout], [2, ''])
      assert.match(stderr, /^error: --since must be a time like .*, or a duration like 24h\n/)
    }
    assert.deepEqual(await app.rows(), rows)
  })

  test('no character of a record steers a terminal or begins a line', async () => {
    const hostile =
      '\x1b[2J\x1b]0;owned\x07\n{"id":1}\r\0\x7f\x9b31m\u202e\u2066\u2028\u200b\u{e0041}\ud800"\\'
    await seed([
      {
        requestId: `r-5${hostile.replaceAll('\0', '').replace('\ud800', '')}`,
        actor: { subject: '1', username: hostile, user_agent: hostile },
        target: { subject: '1', note: hostile, [hostile]: [hostile] },
      },
    ])
    const { stdout } = await run('audit export')
    assert.doesNotMatch(stdout.replaceAll('\n', ''), /[\p{C}\p{Zl}\p{Zp}]/u)
    const record = parse(stdout).find(({ request_id }) => request_id?.startsWith('r-5'))
    assert.deepEqual(
      [record?.actor.username, record?.user_agent, record?.details],
      [hostile, hostile, { note: hostile, [hostile]: [hostile] }],
    )
  })

  test('a reader that closes the pipe ends it, without an error', async () => {
    await seed(Array.from({ length: 1200 }, () => ({ type: 'many' })))
    for (const words of ['audit export', 'audit export --follow']) {
      let writes = 0
      const stdout = new Writable({
        write(_chunk, _encoding, done) {
          writes += 1
          done(writes === 1 ? null : Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
        },
      })
      const { code, stderr } = await command(app, words, { stdout })
      assert.deepEqual([code, stderr, writes], [0, '', 2])
    }
  })
})

suite('gatehouse audit export --follow', async () => {
  const app = await testApp()
  const { insert, seed } = await recordSeeder(app.deps)
  await seed([{ requestId: 'r-1', chain: 'old' }])

  test('goes on with new records of all chains until a signal, each once', async () => {
    const follower = follow(app)
    await follower.has(['r-1'])
    await seed([{ requestId: 'r-2', chain: 'old' }])
    await follower.has(['r-1', 'r-2'])
    await seed([{ requestId: 'r-3', chain: 'new' }])
    await follower.has(['r-1', 'r-2', 'r-3'])
    await seed([
      { requestId: 'r-4', chain: 'new' },
      { requestId: 'r-5', chain: 'old' },
    ])
    await follower.has(['r-1', 'r-2', 'r-3', 'r-4', 'r-5'])
    assert.deepEqual(await follower.stop(), { code: 0, stderr: '' })
  })

  postgresOnly('a transaction that commits late is not skipped', async () => {
    const follower = follow(app, '--since 2100-01-01T00:00:00Z')
    const late = await connectTo({ directory: app.directory })
    after(() => late.db.destroy())
    const at = Date.parse('2100-06-01T00:00:00Z')
    let commit = () => {}
    const mayCommit = new Promise<void>((resolve) => {
      commit = resolve
    })
    let inserted = () => {}
    const isInserted = new Promise<void>((resolve) => {
      inserted = resolve
    })
    const underWay = late.db.transaction().execute(async (trx) => {
      await insert(trx, [{ requestId: 'r-late', chain: 'late', at }])
      inserted()
      await mayCommit
    })
    await isInserted
    await seed([{ requestId: 'r-soon', chain: 'soon', at }])
    await follower.has(['r-soon'])
    commit()
    await underWay
    await follower.has(['r-soon', 'r-late'])
    const [soon, after_] = follower.records().filter(({ request_id }) => request_id)
    assert.ok(soon && after_ && after_.number < soon.number)
    assert.deepEqual(await follower.stop(), { code: 0, stderr: '' })
  })
})

suite('the records that a follower reads', async () => {
  const app = await testApp()
  const { audit, seed } = await recordSeeder(app.deps)
  const { db } = app.deps
  const keys = { audit }

  async function seenNow(since?: number) {
    const seen: Seen = new Map()
    const batches: OpenedRecord[][] = []
    await inSnapshot(db, async (trx) => {
      for await (const batch of exportRecords(trx, { keys }, { since, seen })) batches.push(batch)
    })
    return { seen, batches }
  }

  function following(seen: Seen, from = db) {
    const stop = new AbortController()
    const losses: (string | null)[] = []
    const onLoss = (error: Error | null) => losses.push(error?.message ?? null)
    const clock = steppingClock(app.clock)
    const options = { since: undefined, seen, stop: stop.signal, onLoss }
    return { stop, losses, records: followRecords(from, { keys, clock }, options) }
  }

  test('come in batches of 500 at most', async () => {
    await seed(Array.from({ length: 1100 }, (_, index) => ({ chain: `c${index % 3}` })))
    const { seen, batches } = await seenNow()
    assert.ok(batches.every(({ length }) => length <= 500))
    assert.equal(batches.flat().filter(({ type }) => type === 'seeded').length, 1100)
    const more = Array.from({ length: 1100 }, (_, index) => ({ chain: `d${index % 3}` }))
    await seed(more)
    const { records, stop } = following(seen)
    const sizes: number[] = []
    for await (const { length } of records) {
      sizes.push(length)
      if (sizes.reduce((sum, size) => sum + size, 0) === 1100) stop.abort()
    }
    assert.deepEqual(sizes, [500, 500, 100])
  })

  test('of a batch that the consumer did not take are read again', async () => {
    const { seen } = await seenNow()
    await seed([{ requestId: 'r-twice' }])
    const untaken = following(seen)
    const first = await untaken.records.next()
    assert.deepEqual(requestIds(first.value ?? []), ['r-twice'])
    await untaken.records.return(undefined)
    const again = following(seen)
    assert.deepEqual(requestIds((await again.records.next()).value ?? []), ['r-twice'])
  })

  test('of a chain that is closed are found within a minute', async () => {
    const { seen } = await seenNow()
    const { records } = following(seen)
    await seed([{ requestId: 'r-first' }])
    assert.deepEqual(requestIds((await records.next()).value ?? []), ['r-first'])
    const closed_at = app.clock.now()
    const closed = { chain: 'closed', instance: 'x', version: '0', opened_at: 0, closed_at }
    await db.insertInto('audit_chains').values(closed).execute()
    await seed([{ requestId: 'r-closed', chain: 'closed' }])
    assert.deepEqual(requestIds((await records.next()).value ?? []), ['r-closed'])
    assert.equal(app.clock.now() - closed_at, 60_000)
  })

  test('of a chain that is closed with its last record are not missed', async () => {
    await seed([{ chain: 'closing' }])
    const { seen } = await seenNow()
    const { records } = following(seen)
    await seed([{ requestId: 'r-before', chain: 'other' }])
    assert.deepEqual(requestIds((await records.next()).value ?? []), ['r-before'])
    await seed([{ requestId: 'r-last', chain: 'closing' }])
    await db
      .updateTable('audit_chains')
      .set({ closed_at: 1 })
      .where('chain', '=', 'closing')
      .execute()
    const startedAt = app.clock.now()
    assert.deepEqual(requestIds((await records.next()).value ?? []), ['r-last'])
    assert.ok(app.clock.now() - startedAt < 60_000)
  })

  test('wait while the database is away, and go on when it is back', async () => {
    const { seen } = await seenNow()
    let failures = 3
    const losing = db.withPlugin({
      transformQuery({ node }) {
        if (failures > 0) {
          failures -= 1
          throw new DatabaseUnavailable('it is away')
        }
        return node
      },
      transformResult: async ({ result }) => result,
    })
    await seed([{ requestId: 'r-loss' }])
    const { records, losses } = following(seen, losing)
    assert.deepEqual(requestIds((await records.next()).value ?? []), ['r-loss'])
    assert.deepEqual(losses, ['it is away', null])
  })

  test('end after five minutes without the database', async () => {
    const { seen } = await seenNow()
    const away = db.withPlugin({
      transformQuery: () => {
        throw new DatabaseUnavailable('it is away')
      },
      transformResult: async ({ result }) => result,
    })
    const { records, losses } = following(seen, away)
    const startedAt = app.clock.now()
    await assert.rejects(records.next(), DatabaseUnavailable)
    assert.equal(app.clock.now() - startedAt, 300_000)
    assert.deepEqual(losses, ['it is away'])
  })

  test('are those of one state: what comes during an export is not in it, but follows', async () => {
    const seen: Seen = new Map()
    let found: OpenedRecord[] = []
    await inSnapshot(db, async (trx) => {
      const batches = exportRecords(trx, { keys }, { since: undefined, seen })
      found = (await batches.next()).value ?? []
      await seed([{ requestId: 'r-meanwhile' }])
      for await (const batch of batches) found.push(...batch)
    })
    assert.ok(!requestIds(found).includes('r-meanwhile'))
    const { records } = following(seen)
    assert.deepEqual(requestIds((await records.next()).value ?? []), ['r-meanwhile'])
  })
})

interface Streams {
  readonly stdout: Writable
  readonly stop?: AbortSignal
}

/** Runs the command line in this process, with these streams. */
async function command(app: TestApp, words: string, streams: Streams) {
  const stderr = new PassThrough()
  const process = {
    stdin: new PassThrough(),
    stderr,
    env: { NODE_ENV: 'test', ...(await databaseSettings(app.directory)) },
    clock: { now: app.clock.now, wait: async () => setImmediate() },
    ...streams,
  }
  const code = await main(words.split(' '), process)
  stderr.end()
  return { code, stderr: (await stderr.setEncoding('utf8').toArray()).join('') }
}

function follow(app: TestApp, more = '') {
  const stdout = new PassThrough()
  const stop = new AbortController()
  let text = ''
  stdout.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
  })
  const words = `audit export --follow ${more}`.trim()
  const ended = command(app, words, { stdout, stop: stop.signal })
  return {
    records: () => parse(text),
    async has(ids: readonly string[]) {
      await until(() => requestIds(parse(text)).length >= ids.length)
      assert.deepEqual(requestIds(parse(text)), ids)
    },
    async stop() {
      stop.abort()
      const { code, stderr } = await ended
      stdout.end()
      await once(stdout, 'close').catch(() => {})
      return { code, stderr }
    },
  }
}
