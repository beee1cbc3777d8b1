import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources'
import { TracerProvider } from '@opentelemetry/sdk-trace'
import type { Config } from '../../core/config/load.ts'
import { packageVersion } from '../../core/config/version.ts'
import { beginSpan as beginPart, currentContext } from '../../core/events/context.ts'
import { parseTraceContext, type TraceContext } from '../../core/events/trace-context.ts'
import type { CreateTracing, Traces, TracesDeps } from '../../core/runtime/tracing.ts'
import { tracedDialect } from './database.ts'
import { createProcessor } from './processor.ts'
import { createSampler } from './sampler.ts'
import { parsePairs } from './settings.ts'
import { beginSpan, contextOf, type SpanStart } from './span.ts'

const traceIdBytes = 16
const spanIdBytes = 8
/** Per request: listing all users takes many statements. */
const maxSpans = 500

export const createTracing: CreateTracing = (config, deps) => ({
  traces: createTraces(config.traces, deps),
  observe: (dialect) => tracedDialect(dialect, config.database.postgres ? 'postgresql' : 'sqlite'),
})

function createTraces(config: Config['traces'], deps: TracesDeps): Traces {
  const { clock, random, log, workers } = deps
  const hex = (bytes: number) => Buffer.from(random.bytes(bytes)).toString('hex')
  const { maxPerSecond } = config
  const share = maxPerSecond === 0 ? 0 : workers.share(maxPerSecond)
  const sampler = createSampler({ ...config, maxPerSecond: share }, clock)
  const exporter = new OTLPTraceExporter({
    ...(config.url !== undefined && { url: config.url }),
    headers: { ...headersOf(config.headers), ...headersOf(config.tracesHeaders) },
  })
  const processor = createProcessor(exporter, log)
  const version = packageVersion()
  const ofProcess = {
    'service.name': 'gatehouse',
    'service.version': version,
    'service.instance.id': hex(traceIdBytes),
    'process.pid': process.pid,
    'gatehouse.worker': workers.index,
    ...parsePairs(config.resourceAttributes),
    ...(config.serviceName !== undefined && { 'service.name': config.serviceName }),
  }
  const provider = new TracerProvider({
    resource: defaultResource().merge(resourceFromAttributes(ofProcess)),
    sampler,
    spanProcessors: [processor],
    idGenerator: {
      generateTraceId: () => hex(traceIdBytes),
      generateSpanId: () => hex(spanIdBytes),
    },
  })
  const tracer = provider.getTracer('gatehouse', version)

  function begin(start: SpanStart, caller: TraceContext | null) {
    const under = {
      ...{ tracer, state: caller?.state ?? null, left: maxSpans - 1, drop: processor.drop },
      ...{ epochMs: clock.now(), beganAt: performance.now() },
    }
    return beginSpan(under, start, contextOf(caller))
  }

  return {
    beginRequest: (headers, attributes) =>
      begin({ name: 'request', kind: 'server', attributes }, parseTraceContext(headers)),
    beginCall(attributes) {
      const name = String(attributes['http.request.method'])
      if (currentContext().requestId !== null) return beginPart(name, 'client', attributes)
      return begin({ name, kind: 'client', attributes }, null)
    },
    counts: {
      spansExported: processor.exported,
      spansDropped: processor.dropped,
      spansWaiting: processor.waiting,
      tracesRefused: sampler.refused,
    },
    close: () => provider.shutdown(),
  }
}

function headersOf(setting: Config['traces']['headers']): Readonly<Record<string, string>> {
  return parsePairs(setting?.reveal() ?? '')
}
