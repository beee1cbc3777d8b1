import { isLoopback } from '../../core/addresses/loopback.ts'
import { integer, oneOf, optional, secret, text, type Values } from '../../core/config/kinds.ts'
import type { ConfigOf, Reading } from '../../core/config/load.ts'

/** OpenTelemetry's names. */
export const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const
export type Sampler = (typeof samplers)[number]

/** OpenTelemetry's standard names, so that operators can reuse their settings. */
export const settings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: optional({
    doc: 'The address of an OpenTelemetry collector, to which `/v1/traces` is added; usually `http://localhost:4318`. Traces go there by OTLP over HTTP as JSON. Unset: no traces are exported. docs/tracing.md',
    parse: parseEndpoint,
  }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: optional({
    doc: 'The whole address for traces, used in place of OTEL_EXPORTER_OTLP_ENDPOINT.',
    parse: parseEndpoint,
  }),
  OTEL_EXPORTER_OTLP_HEADERS: secret({
    doc: 'Request headers for the collector, `name=value,name=value`, percent-encoded where they hold a comma or a space.',
    check: checkHeaders,
  }),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: secret({
    doc: 'Request headers for traces, added to OTEL_EXPORTER_OTLP_HEADERS.',
    check: checkHeaders,
  }),
  OTEL_SERVICE_NAME: optional({
    shown: 'gatehouse',
    doc: 'The `service.name` of the traces.',
    parse: (value) => value,
  }),
  OTEL_RESOURCE_ATTRIBUTES: text({
    default: '',
    doc: 'Attributes of the resource of the traces, `name=value,name=value`, for example `deployment.environment.name=staging`.',
    check: (value) => void parsePairs(value),
  }),
  OTEL_TRACES_SAMPLER: oneOf({
    default: 'parentbased_always_on',
    values: samplers,
    doc: 'Which traces are exported. With `parentbased_` the flag of a caller that sends a `traceparent` decides, within TRACES_PER_SECOND.',
  }),
  OTEL_TRACES_SAMPLER_ARG: optional({
    shown: '1',
    doc: 'The share of traces that a sampler with `traceidratio` exports, from 0 to 1.',
    parse: parseRatio,
  }),
  TRACES_PER_SECOND: integer({
    default: 100,
    min: 0,
    doc: 'Maximum of traces that begin to be exported in a second, which WORKERS share; half of them at most because a caller has asked for it. 0: no limit.',
  }),
}

declare module '../../core/config/load.ts' {
  interface SettingValues extends Values<typeof settings> {}
  interface Config extends ConfigOf<typeof configure> {}
}

export function configure({ values }: Reading) {
  const { OTEL_EXPORTER_OTLP_HEADERS: headers, OTEL_EXPORTER_OTLP_TRACES_HEADERS: tracesHeaders } =
    values
  const all = values.OTEL_EXPORTER_OTLP_ENDPOINT
  const url = values.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (all && `${all}/v1/traces`)
  const warnings = Object.entries({
    OTEL_EXPORTER_OTLP_HEADERS: headers,
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: tracesHeaders,
  }).flatMap(([name, value]) =>
    value && goesUnguarded(url) ? `${name}: what goes to the collector is not guarded by TLS` : [],
  )
  return {
    config: {
      traces: {
        /** Undefined: no export. */
        url,
        headers,
        tracesHeaders,
        serviceName: values.OTEL_SERVICE_NAME,
        resourceAttributes: values.OTEL_RESOURCE_ATTRIBUTES,
        sampler: values.OTEL_TRACES_SAMPLER,
        ratio: values.OTEL_TRACES_SAMPLER_ARG ?? 1,
        maxPerSecond: values.TRACES_PER_SECOND,
      },
    },
    warnings,
  }
}

/** Plain HTTP to another machine. */
function goesUnguarded(address: string | undefined): boolean {
  const { protocol, hostname } = new URL(address ?? 'https://none')
  return protocol === 'http:' && !isLoopback(hostname)
}

function parseEndpoint(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  const { protocol, username, password, search, hash } = url ?? {}
  const isHttp = protocol === 'http:' || protocol === 'https:'
  if (!url || !isHttp || username || password || search || hash || /[?#\s]/.test(value)) {
    throw new Error('must be an http or https address without credentials or a query')
  }
  return url.href.replace(/\/+$/, '')
}

function parseRatio(value: string): number {
  const ratio = Number(value)
  if (!/^[0-9.]+$/.test(value) || !(ratio >= 0 && ratio <= 1)) {
    throw new Error('must be a number from 0 to 1')
  }
  return ratio
}

/** W3C Baggage syntax. @throws Error without the input */
export function parsePairs(text: string): Readonly<Record<string, string>> {
  const pairs: Record<string, string> = {}
  for (const member of text.split(',')) {
    if (member.trim() === '') continue
    const [key = '', ...rest] = member.split('=')
    const value = decoded(rest.join('=').trim())
    if (rest.length === 0 || !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(key.trim()) || value === null) {
      throw new Error('must be name=value pairs with commas between them, percent-encoded')
    }
    pairs[key.trim()] = value
  }
  return pairs
}

function checkHeaders(text: string): void {
  for (const name of Object.keys(parsePairs(text))) {
    if (/^(?:content-type|content-length|host)$/i.test(name)) {
      throw new Error(`must not hold ${name.toLowerCase()}`)
    }
  }
}

function decoded(text: string): string | null {
  try {
    const value = decodeURIComponent(text)
    return /^[\x20-\x7e]*$/.test(value) ? value : null
  } catch {
    return null
  }
}
