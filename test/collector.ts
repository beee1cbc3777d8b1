import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { afterwards } from './afterwards.ts'

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
  /** The bodies of all requests, unpacked. */
  readonly bodies: string[]
  readonly headers: IncomingHttpHeaders[]
  /** Answers in place of a success; the spans of the request are not read. */
  instead: RequestListener | undefined
}

/** Starts a collector of OTLP over HTTP on loopback. */
export async function startCollector(): Promise<Collector> {
  const faults: unknown[] = []
  const server = createServer(async (request, response) => {
    const sent = await buffer(request)
    const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent
    collector.bodies.push(String(body))
    collector.headers.push(request.headers)
    if (collector.instead) return collector.instead(request, response)
    try {
      assert.deepEqual([request.method, request.url], ['POST', '/v1/traces'])
      assert.equal(request.headers['content-type'], 'application/json')
      collector.spans.push(...spansOf(JSON.parse(String(body))))
    } catch (error) {
      faults.push(error)
      response.statusCode = 400
    }
    response.setHeader('content-type', 'application/json').end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on a port
  const endpoint = `http://127.0.0.1:${port}`
  const collector: Collector = { endpoint, spans: [], bodies: [], headers: [], instead: undefined }
  afterwards(() => {
    server.closeAllConnections()
    server.close()
    assert.deepEqual(faults, [], 'what the collector could not read')
  })
  return collector
}

interface Attribute {
  readonly key: string
  readonly value: Readonly<Record<string, string | number>>
}
/** OTLP's ExportTraceServiceRequest, as far as tests read it. */
interface ExportRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string }
      readonly spans: readonly (Omit<CollectedSpan, 'start' | 'end' | 'attributes' | 'failed'> & {
        readonly startTimeUnixNano: string
        readonly endTimeUnixNano: string
        readonly attributes: readonly Attribute[]
        readonly status: { readonly code: number }
      })[]
    }[]
  }[]
}

function spansOf({ resourceSpans }: ExportRequest): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ scope, spans }) => {
      assert.equal(scope.name, 'gatehouse')
      return spans.map(({ traceId, spanId, parentSpanId, traceState, ...span }) => ({
        ...{ traceId, spanId, parentSpanId, traceState },
        ...{ flags: span.flags, name: span.name, kind: span.kind },
        start: BigInt(span.startTimeUnixNano),
        end: BigInt(span.endTimeUnixNano),
        attributes: attributesOf(span.attributes),
        failed: span.status.code === 2,
        resource: attributesOf(resource.attributes),
      }))
    }),
  )
}

function attributesOf(attributes: readonly Attribute[]): Record<string, string | number> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => {
      const [held] = Object.values(value)
      return [key, held ?? '']
    }),
  )
}
