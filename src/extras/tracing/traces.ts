import type { Config } from '../../core/config/load.ts'
import { packageVersion } from '../../core/config/version.ts'
import { beginSpan as beginPart, currentContext } from '../../core/events/context.ts'
import {
  parseTraceContext,
  type Span,
  type SpanAttributes,
  type TraceContext,
} from '../../core/events/trace-context.ts'
import type { Traces, TracesDeps } from '../../core/runtime/tracing.ts'
import { createExporter } from './exporter.ts'
import { createSampler } from './sampler.ts'
import { parseHeaders } from './settings.ts'
import { beginSpan, type SpanSink } from './span.ts'

const traceIdBytes = 16
const spanIdBytes = 8
/** The spans of one request: a list of all users is read in many steps. */
const maxSpans = 500

/** Creates the traces of a process; null without OTEL_EXPORTER_OTLP_ENDPOINT. */
export function createTraces(config: Pick<Config, 'traces'>, deps: TracesDeps): Traces | null {
  const { clock, random, log, workers, fetch } = deps
  const { endpoint, headers, serviceName, maxPerSecond, ...settings } = config.traces
  if (endpoint === undefined) return null
  const hex = (bytes: number) => Buffer.from(random.bytes(bytes)).toString('hex')
  const sampler = createSampler({
    ...settings,
    clock,
    maxPerSecond: maxPerSecond === 0 ? 0 : workers.share(maxPerSecond),
  })
  const version = packageVersion()
  const scope = { name: 'gatehouse', version }
  const exporter = createExporter({
    url: `${endpoint}/v1/traces`,
    headers: parseHeaders(headers?.reveal() ?? ''),
    resource: {
      scope,
      attributes: {
        'service.name': serviceName,
        'service.version': version,
        'service.instance.id': hex(traceIdBytes),
        'process.pid': process.pid,
        'gatehouse.worker': workers.index,
        'telemetry.sdk.name': scope.name,
        'telemetry.sdk.language': 'nodejs',
        'telemetry.sdk.version': version,
      },
    },
    fetch,
    log,
    jitter: () => (random.bytes(1)[0] ?? 0) / 256,
  })
  let tooMany = 0
  const sink: SpanSink = {
    newSpanId: () => hex(spanIdBytes),
    ended: (span) => exporter.add(span),
    tooMany: () => {
      tooMany += 1
    },
  }

  /** Begins a trace here; the part of it in this process, if a caller has begun it. */
  function begin(
    name: string,
    kind: 'server' | 'client',
    caller: TraceContext | null,
    attributes: SpanAttributes,
  ): Span | null {
    const traceId = caller?.traceId ?? hex(traceIdBytes)
    if (!sampler.takes(traceId, caller)) return null
    const trace = {
      traceId,
      state: caller?.state ?? null,
      epochMs: clock.now(),
      beganAt: performance.now(),
      left: maxSpans - 1,
    }
    const parentId = caller?.spanId ?? null
    return beginSpan(sink, {
      trace,
      name,
      kind,
      parentId,
      isParentRemote: caller !== null,
      attributes,
    })
  }

  return {
    beginRequest: (headers, attributes) =>
      begin('request', 'server', parseTraceContext(headers), attributes),
    beginCall: (attributes) => {
      const name = String(attributes['http.request.method'])
      if (currentContext().requestId !== null) return beginPart(name, 'client', attributes)
      return begin(name, 'client', null, attributes)
    },
    counts: {
      spansExported: exporter.exported,
      spansDropped: () => exporter.dropped() + tooMany,
      spansWaiting: exporter.waiting,
      tracesRefused: sampler.refused,
    },
    close: exporter.close,
  }
}
