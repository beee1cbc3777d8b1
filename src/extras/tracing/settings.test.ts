import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { inspect } from 'node:util'
import { loadConfig } from '../../../test/config.ts'
import { mistakesOf } from '../../../test/mistakes.ts'
import { parsePairs } from './settings.ts'

suite('the settings of traces', () => {
  test('are those of OpenTelemetry; without an endpoint nothing is exported', () => {
    assert.deepEqual(loadConfig({}).traces, {
      url: undefined,
      headers: undefined,
      tracesHeaders: undefined,
      serviceName: undefined,
      resourceAttributes: '',
      sampler: 'parentbased_always_on',
      ratio: 1,
      maxPerSecond: 100,
    })
  })

  for (const [given, url] of [
    ['http://localhost:4318', 'http://localhost:4318/v1/traces'],
    ['https://otel.example.org/', 'https://otel.example.org/v1/traces'],
    ['https://otel.example.org/tenant/a/', 'https://otel.example.org/tenant/a/v1/traces'],
    ['', undefined],
  ] as const) {
    test(`traces for the endpoint ${given || 'of nothing'} go to ${url}`, () => {
      assert.equal(loadConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: given }).traces.url, url)
    })
  }

  test('an endpoint for traces is the whole address, and goes before the endpoint for all', () => {
    const OTEL_EXPORTER_OTLP_TRACES_ENDPOINT = 'https://traces.example.org/in'
    for (const OTEL_EXPORTER_OTLP_ENDPOINT of ['', 'http://localhost:4318']) {
      const config = loadConfig({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT })
      assert.equal(config.traces.url, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT)
    }
  })

  const refused = (name: string, text: string, message: RegExp) =>
    test(`${name}=${text} is refused`, () => {
      const [mistake, ...more] = mistakesOf({ [name]: text })
      assert.match(mistake ?? '', message)
      assert.deepEqual(more, [])
    })
  for (const text of [
    'localhost:4318',
    'grpc://localhost:4317',
    'http://user:word@localhost',
    'http://localhost/?key=1',
    'http://localhost/#a',
    'http://local host',
  ]) {
    refused('OTEL_EXPORTER_OTLP_ENDPOINT', text, /^OTEL_EXPORTER_OTLP_ENDPOINT must be an http/)
  }
  for (const text of ['1.1', '-1', 'half', '1e0', '.', 'NaN']) {
    refused('OTEL_TRACES_SAMPLER_ARG', text, /^OTEL_TRACES_SAMPLER_ARG must be a number from 0/)
  }
  refused('OTEL_TRACES_SAMPLER', 'jaeger_remote', /^OTEL_TRACES_SAMPLER must be one of always_on/)
  refused(
    'OTEL_RESOURCE_ATTRIBUTES',
    'staging',
    /^OTEL_RESOURCE_ATTRIBUTES must be name=value pairs/,
  )
  refused('TRACES_PER_SECOND', '-1', /^TRACES_PER_SECOND must be a whole number of at least 0/)

  test('headers are pairs, percent-encoded', () => {
    assert.deepEqual(parsePairs('Authorization=Basic%20YTpi%3D, x-team = a%2Cb ,,x=1=2'), {
      Authorization: 'Basic YTpi=',
      'x-team': 'a,b',
      x: '1=2',
    })
    assert.deepEqual(parsePairs(''), {})
  })

  for (const text of [
    'canary',
    '=canary',
    'a b=canary',
    'a=canary%',
    'a=canary%0d%0ab',
    'a=%ffcanary',
  ]) {
    test(`headers of ${JSON.stringify(text)} are refused, and not repeated`, () => {
      const mistakes = mistakesOf({ OTEL_EXPORTER_OTLP_HEADERS: text })
      assert.equal(mistakes.length, 1)
      assert.match(mistakes.join(), /^OTEL_EXPORTER_OTLP_HEADERS must be name=value pairs/)
      assert.doesNotMatch(mistakes.join(), /canary/)
    })
  }

  test('headers that the exporter sets itself are refused', () => {
    for (const name of ['Content-Type', 'content-length', 'Host']) {
      const [mistake] = mistakesOf({ OTEL_EXPORTER_OTLP_HEADERS: `${name}=x` })
      assert.match(mistake ?? '', /^OTEL_EXPORTER_OTLP_HEADERS must not hold /)
    }
  })

  test('headers can be in a file, are shown nowhere, and over plain HTTP are warned of', () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'))
    after(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'headers')
    writeFileSync(path, 'x-key=canary\n', { mode: 0o600 })
    const env = { OTEL_EXPORTER_OTLP_HEADERS_FILE: path }
    const warned = ['OTEL_EXPORTER_OTLP_HEADERS: what goes to the collector is not guarded by TLS']
    for (const [endpoint, warnings] of [
      ['http://127.0.0.1:4318', []],
      ['https://otel.example.org', []],
      ['http://otel.example.org', warned],
    ] as const) {
      const config = loadConfig({ ...env, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })
      assert.equal(config.traces.headers?.reveal(), 'x-key=canary')
      assert.doesNotMatch(JSON.stringify(config) + inspect(config), /canary/)
      assert.deepEqual(config.warnings, warnings)
    }
  })
})
