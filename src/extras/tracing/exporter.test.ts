import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { spansOf } from '../../../test/collector.ts'
import { createExporter } from './exporter.ts'
import type { EndedSpan } from './span.ts'

const url = 'http://127.0.0.1:4318/v1/traces'
const resource = { attributes: {}, scope: { name: 'gatehouse', version: '1.0.0' } }

function spanNamed(name: string): EndedSpan {
  const epochMs = 1_700_000_000_000
  const trace = { traceId: 'a'.repeat(32), state: null, epochMs, beganAt: 0, left: 1 }
  const own = { spanId: 'b'.repeat(16), parentId: null, isParentRemote: false, name }
  const times = { startMs: 1.25, endMs: 2.000001 }
  return { trace, ...own, kind: 'internal', ...times, attributes: new Map(), failure: null }
}

/** An exporter whose timers the test moves, and the requests that it sends. */
function made(t: TestContext, answer: () => Promise<Response> | Response) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const bodies: string[] = []
  const requests: RequestInit[] = []
  const log: unknown[] = []
  const exporter = createExporter({
    ...{ url, resource, headers: { 'x-key': 'k' }, jitter: () => 1 },
    log: {
      warn: (...line: unknown[]) => log.push(line),
      info: (...line: unknown[]) => log.push(line),
    },
    fetch: async (input, init = {}) => {
      assert.equal(input, url)
      bodies.push(String(init.body))
      requests.push(init)
      const given = Promise.resolve(answer())
      const { promise, reject } = Promise.withResolvers<never>()
      init.signal?.addEventListener('abort', () => reject(new DOMException('', 'AbortError')))
      return Promise.race([given, promise])
    },
  })
  const add = (count: number) => {
    for (let added = 0; added < count; added += 1) exporter.add(spanNamed(`part ${added}`))
  }
  /** Lets time pass, and what then runs. */
  const pass = async (ms: number) => {
    t.mock.timers.tick(ms)
    for (let turn = 0; turn < 5; turn += 1) await setImmediate()
  }
  const counts = () => [exporter.exported(), exporter.dropped(), exporter.waiting()]
  return { exporter, add, pass, counts, bodies, requests, log }
}

const taken = () => new Response('{}')
const status =
  (code: number, headers = {}) =>
  () =>
    new Response('busy', { status: code, headers })

suite('the export of spans', () => {
  test('sends a batch after five seconds, or at once when there are 512', async (t) => {
    const { add, pass, counts, bodies, requests } = made(t, taken)
    add(2)
    await pass(4999)
    assert.equal(bodies.length, 0)
    await pass(1)
    assert.equal(bodies.length, 1)
    const [span] = spansOf(bodies[0] ?? '')
    assert.deepEqual(
      [span?.start, span?.end],
      [1_700_000_000_001_250_000n, 1_700_000_000_002_000_001n],
    )
    const [sent] = requests
    const headers = { 'x-key': 'k', 'content-type': 'application/json', 'user-agent': 'gatehouse' }
    assert.deepEqual([sent?.method, sent?.redirect, sent?.headers], ['POST', 'error', headers])
    add(512)
    await pass(0)
    assert.equal(spansOf(bodies[1] ?? '').length, 512)
    assert.deepEqual(counts(), [514, 0, 0])
  })

  test('has one request under way, and drops what the queue cannot hold', async (t) => {
    const gate = Promise.withResolvers<Response>()
    const { add, pass, counts, bodies } = made(t, () => gate.promise)
    add(512)
    await pass(0)
    add(3000)
    await pass(60_000)
    assert.equal(bodies.length, 1)
    assert.deepEqual(counts(), [0, 1464, 2048])
  })

  for (const code of [429, 502, 503, 504]) {
    test(`tries again after ${code}, ever later, and gives up after five times`, async (t) => {
      const { add, pass, counts, bodies, log } = made(t, status(code))
      add(1)
      await pass(5000)
      for (const [times, pauseMs] of [1000, 2000, 4000, 8000].entries()) {
        assert.equal(bodies.length, times + 1)
        await pass(Math.max(pauseMs, 5000) - 100)
        assert.equal(bodies.length, times + 1, 'before its time')
        await pass(200)
      }
      assert.deepEqual([bodies.length, counts()], [5, [0, 1, 0]])
      assert.equal(log.length, 1, 'told once')
    })
  }

  test('waits as long as Retry-After says, in seconds or until a date', async (t) => {
    const date = 'Sun, 22 Nov 2026 13:00:00 GMT'
    for (const headers of [
      { 'retry-after': '30' },
      { 'retry-after': 'Sun, 22 Nov 2026 13:00:30 GMT', date },
    ]) {
      const { add, pass, bodies } = made(t, status(503, headers))
      add(1)
      await pass(5000)
      await pass(29_000)
      assert.equal(bodies.length, 1)
      await pass(1001)
      assert.equal(bodies.length, 2)
      t.mock.timers.reset()
    }
  })

  for (const code of [400, 401, 404, 413, 500, 301]) {
    test(`does not send again what ${code} refuses, and counts it`, async (t) => {
      let answer = status(code)
      const { add, pass, counts, bodies, log } = made(t, () => answer())
      add(3)
      await pass(5000)
      await pass(60_000)
      assert.deepEqual([bodies.length, counts()], [1, [0, 3, 0]])
      answer = taken
      add(1)
      await pass(5000)
      assert.deepEqual(counts(), [1, 3, 0])
      assert.equal(log.length, 2, 'the failure and its end')
    })
  }

  test('counts what a partial success rejects', async (t) => {
    const answer = { partialSuccess: { rejectedSpans: '2', errorMessage: 'too old' } }
    const { add, pass, counts } = made(t, () => Response.json(answer))
    add(3)
    await pass(5000)
    assert.deepEqual(counts(), [1, 2, 0])
  })

  for (const body of ['', 'no json', 'null', '[]', '{"partialSuccess":{"rejectedSpans":-1}}']) {
    test(`takes a success that answers ${body || 'nothing'} as whole`, async (t) => {
      const { add, pass, counts } = made(t, () => new Response(body))
      add(1)
      await pass(5000)
      assert.deepEqual(counts(), [1, 0, 0])
    })
  }

  test('a huge answer is not read to its end', async (t) => {
    const { add, pass, counts } = made(t, () => new Response('x'.repeat(1_000_000)))
    add(1)
    await pass(5000)
    assert.deepEqual(counts(), [1, 0, 0])
  })
})

suite('at a stop', () => {
  test('what waits is sent', async (t) => {
    const { exporter, add, counts, bodies } = made(t, taken)
    add(600)
    await exporter.close()
    assert.deepEqual([bodies.length, counts()], [2, [600, 0, 0]])
    add(1)
    assert.deepEqual(counts(), [600, 1, 0])
  })

  test('a collector that is away is asked once', async (t) => {
    const { exporter, add, counts, bodies } = made(t, () => Promise.reject(new TypeError('failed')))
    add(600)
    await exporter.close()
    assert.deepEqual([bodies.length, counts()], [1, [0, 600, 0]])
  })

  test('a collector that does not answer is waited for two seconds', async (t) => {
    const { exporter, add, pass, counts } = made(t, () => new Promise(() => {}))
    add(512)
    await pass(0)
    add(10)
    let isClosed = false
    const closing = exporter.close().then(() => {
      isClosed = true
    })
    await pass(1999)
    assert.equal(isClosed, false)
    await pass(1)
    await closing
    assert.deepEqual(counts(), [0, 522, 0])
  })
})
