import { AsyncLocalStorage } from 'node:async_hooks'
import { BatchSpanProcessor, type SpanExporter, type SpanProcessor } from '@opentelemetry/sdk-trace'
import type { TracesDeps } from '../../core/runtime/tracing.ts'

/** The maximum shutdown wait. */
const closeMs = 2000
/** About 2 MB. */
const maxWaiting = 2048

export interface CountingProcessor extends SpanProcessor {
  exported(): number
  /** Queue full or export failed. */
  dropped(): number
  waiting(): number
  drop(): void
}

/** Adds counts and one log line per outage. */
export function createProcessor(exporter: SpanExporter, log: TracesDeps['log']): CountingProcessor {
  // Timers and connections outlive the starting request's context.
  const outside = AsyncLocalStorage.snapshot()
  let exported = 0
  let dropped = 0
  let waiting = 0
  let isFailing = false

  const batches = new BatchSpanProcessor({
    maxQueueSize: maxWaiting,
    exporter: {
      export(spans, done) {
        exporter.export(spans, (result) => {
          waiting -= spans.length
          if (result.code === 0) exported += spans.length
          else dropped += spans.length
          note(result.code !== 0, result.error?.message)
          done(result)
        })
      },
      shutdown: () => exporter.shutdown(),
    },
  })

  function note(hasFailed: boolean, reason: string | undefined): void {
    if (hasFailed === isFailing) return
    isFailing = hasFailed
    if (hasFailed) {
      log.warn({ reason }, 'traces cannot be exported: the collector is away, or refuses them')
    } else {
      log.info({ dropped }, 'traces are exported again')
    }
  }

  return {
    onStart: () => {},
    onEnd(span) {
      if (waiting >= maxWaiting) {
        dropped += 1
        return
      }
      waiting += 1
      outside(() => batches.onEnd(span))
    },
    forceFlush: () => batches.forceFlush(),
    async shutdown() {
      const late = Promise.withResolvers<void>()
      const timer = setTimeout(late.resolve, closeMs)
      await Promise.race([batches.shutdown().catch(() => {}), late.promise])
      clearTimeout(timer)
      dropped += waiting
      waiting = 0
      if (dropped > 0) log.info({ exported, dropped }, 'not all traces were exported')
    },
    exported: () => exported,
    dropped: () => dropped,
    waiting: () => waiting,
    drop: () => {
      dropped += 1
    },
  }
}
