import assert from 'node:assert/strict'
import { mock, suite, test } from 'node:test'
import { type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace'
import { createProcessor } from './processor.ts'

const taken = { code: 0 }
const failed = { code: 1, error: new Error('status 503') }

function made(exportSpans: SpanExporter['export']) {
  const lines: unknown[] = []
  const log = {
    warn: (facts: unknown, text: string) => lines.push([facts, text]),
    info: (facts: unknown, text: string) => lines.push([facts, text]),
  }
  const processor = createProcessor(
    { export: exportSpans, shutdown: async () => {} },
    // The two methods of pino that are used, for one form of their arguments.
    log as unknown as Parameters<typeof createProcessor>[1],
  )
  const tracer = new TracerProvider({ spanProcessors: [processor] }).getTracer('test')
  const end = (count: number) => {
    for (let ended = 0; ended < count; ended += 1) tracer.startSpan('part').end()
  }
  const counts = () => [processor.exported(), processor.dropped(), processor.waiting()]
  return { processor, lines, end, counts }
}

suite('the export of spans', () => {
  test('logs an outage once, and its end once', async () => {
    const results = [failed, failed, taken, taken]
    const { processor, lines, end, counts } = made((_spans, done) => done(results.shift() ?? taken))
    for (const expected of [
      [0, 1, 0],
      [0, 2, 0],
      [1, 2, 0],
      [2, 2, 0],
    ]) {
      end(1)
      await processor.forceFlush().catch((error) => assert.equal(error, failed.error))
      assert.deepEqual(counts(), expected)
    }
    assert.deepEqual(lines, [
      [
        { reason: 'status 503' },
        'traces cannot be exported: the collector is away, or refuses them',
      ],
      [{ dropped: 2 }, 'traces are exported again'],
    ])
  })

  test('holds 2,048 spans while the collector does not answer, and drops further spans', async () => {
    const answers: (() => void)[] = []
    const { end, counts } = made((_spans, done) => answers.push(() => done(taken)))
    end(3000)
    assert.deepEqual(counts(), [0, 952, 2048])
    while (answers.length > 0) {
      answers.shift()?.()
      await new Promise(setImmediate)
    }
    assert.deepEqual(counts(), [2048, 952, 0])
  })

  test('waits two seconds at a stop, and counts what is left as dropped', async () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    try {
      const { processor, lines, end, counts } = made(() => {})
      end(3)
      let isOver = false
      const stop = processor.shutdown().then(() => {
        isOver = true
      })
      mock.timers.tick(1999)
      await new Promise(setImmediate)
      assert.equal(isOver, false)
      mock.timers.tick(1)
      await stop
      assert.deepEqual(counts(), [0, 3, 0])
      assert.deepEqual(lines, [[{ exported: 0, dropped: 3 }, 'not all traces were exported']])
    } finally {
      mock.timers.reset()
    }
  })
})
