import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'

/** A span as a collector has read it. */
export interface CollectedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly traceState: string | undefined
  readonly flags: number
  readonly name: string
  readonly kind: number
  readonly start: bigint
  readonly end: bigint
  readonly attributes: Readonly<Record<string, string | number>>
  readonly failed: boolean
  readonly resource: Readonly<Record<string, string | number>>
}

export interface Collector {
  /** The value of OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly endpoint: string
  readonly spans: CollectedSpan[]
  /** The bodies of all requests, as they came. */
  readonly bodies: string[]
  readonly headers: IncomingHttpHeaders[]
  /** Answers in place of a success; what was sent is kept in `bodies` alone. */
  instead: RequestListener | undefined
}

/**
 * Starts a collector of OTLP over HTTP on loopback. It reads JSON as strictly as Protobuf's mapping
 * is written: an unknown name, an id that is no hex, or a time that is no text is an error, with 400.
 */
export async function startCollector(): Promise<Collector> {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    collector.bodies.push(body)
    collector.headers.push(request.headers)
    if (collector.instead) return collector.instead(request, response)
    try {
      assert.deepEqual([request.method, request.url], ['POST', '/v1/traces'])
      assert.equal(request.headers['content-type'], 'application/json')
      collector.spans.push(...spansOf(body))
    } catch (error) {
      collector.faults.push(error)
      response.statusCode = 400
    }
    response.setHeader('content-type', 'application/json').end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on a port
  const collector: Collector & { readonly faults: unknown[] } = {
    endpoint: `http://127.0.0.1:${port}`,
    spans: [],
    bodies: [],
    headers: [],
    faults: [],
    instead: undefined,
  }
  after(() => {
    server.closeAllConnections()
    server.close()
    assert.deepEqual(collector.faults, [], 'what the collector could not read')
  })
  return collector
}

type Json = Record<string, unknown>

/** Reads an ExportTraceServiceRequest. */
export function spansOf(body: string): CollectedSpan[] {
  return listOf(fields(JSON.parse(body), ['resourceSpans']).resourceSpans).flatMap((each) => {
    const { resource, scopeSpans } = fields(each, ['resource', 'scopeSpans'])
    const told = attributesOf(fields(resource, ['attributes']).attributes)
    return listOf(scopeSpans).flatMap((scoped) => {
      const { scope, spans } = fields(scoped, ['scope', 'spans'])
      const { name, version } = fields(scope, ['name', 'version'])
      assert.deepEqual([name, typeof version], ['gatehouse', 'string'])
      return listOf(spans).map((span) => spanOf(span, told))
    })
  })
}

const spanFields = [
  ...['traceId', 'spanId', 'parentSpanId', 'traceState', 'flags', 'name', 'kind'],
  ...['startTimeUnixNano', 'endTimeUnixNano', 'attributes', 'status'],
]

function spanOf(value: unknown, resource: CollectedSpan['resource']): CollectedSpan {
  const span = fields(value, spanFields)
  const { code } = fields(span.status, ['code'])
  assert.ok(code === undefined || code === 2, 'a status of OpenTelemetry')
  const kind = Number(span.kind)
  assert.ok([1, 2, 3].includes(kind), 'a kind of OpenTelemetry')
  const parent = span.parentSpanId
  return {
    traceId: hex(span.traceId, 32),
    spanId: hex(span.spanId, 16),
    parentSpanId: parent === undefined ? undefined : hex(parent, 16),
    traceState: span.traceState === undefined ? undefined : textOf(span.traceState),
    flags: Number(span.flags),
    name: textOf(span.name),
    kind,
    start: nanoseconds(span.startTimeUnixNano),
    end: nanoseconds(span.endTimeUnixNano),
    attributes: attributesOf(span.attributes),
    failed: code === 2,
    resource,
  }
}

function attributesOf(value: unknown): Record<string, string | number> {
  return Object.fromEntries(
    listOf(value).map((attribute) => {
      const { key, value } = fields(attribute, ['key', 'value'])
      const [[type, held] = [], ...more] = Object.entries(fields(value, valueTypes))
      assert.deepEqual(more, [])
      if (type === 'intValue') assert.match(textOf(held), /^-?[0-9]+$/) // of 64 bits: as text
      return [textOf(key), type === 'stringValue' ? textOf(held) : Number(held)]
    }),
  )
}

const valueTypes = ['stringValue', 'intValue', 'doubleValue']

function fields(value: unknown, known: readonly string[]): Json {
  assert.ok(typeof value === 'object' && value !== null && !Array.isArray(value))
  for (const name of Object.keys(value)) assert.ok(known.includes(name), `unknown: ${name}`)
  return value as Json
}

function listOf(value: unknown): unknown[] {
  assert.ok(Array.isArray(value))
  return value
}

function textOf(value: unknown): string {
  assert.equal(typeof value, 'string')
  return String(value)
}

function hex(value: unknown, digits: number): string {
  assert.match(textOf(value), new RegExp(`^(?!0+$)[0-9a-f]{${digits}}$`))
  return textOf(value)
}

function nanoseconds(value: unknown): bigint {
  assert.match(textOf(value), /^[0-9]{19}$/)
  return BigInt(textOf(value))
}
