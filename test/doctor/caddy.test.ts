import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { certificate } from '../self-signed.ts'
import {
  deployment,
  examined,
  host,
  missingProxy,
  type ProxiedOptions,
  production,
  proxied,
} from './deployment.ts'

interface Broken extends ProxiedOptions {
  /** What the operator has done. */
  readonly what: string
  readonly env?: Readonly<Record<string, string>>
  /** All that is found, without advice. */
  readonly found: readonly string[]
  /** A line of what mends it. */
  readonly mend: RegExp
}

const before = (lines: string) => (text: string) =>
  text.replace('\treverse_proxy', `\t${lines}\n\treverse_proxy`)
const within = (lines: string) => (text: string) =>
  text.replace('reverse_proxy 127.0.0.1:3000', `reverse_proxy 127.0.0.1:3000 {\n${lines}\n}`)

const day = (offset: number) =>
  new Date(Date.now() + offset * 86_400_000).toISOString().slice(2, 10).replaceAll('-', '')
const shown = { commonName: host, hosts: [host], isAuthority: true }

const broken: readonly Broken[] = [
  {
    what: 'passes on what the client says of itself',
    change: within('header_up X-Forwarded-For {http.request.header.X-Forwarded-For}'),
    found: ['error client_address'],
    mend: /without header_up X-Forwarded-For/,
  },
  {
    what: 'is not in TRUST_PROXY',
    env: { TRUST_PROXY: '10.0.0.7' },
    found: ['error client_address'],
    mend: /TRUST_PROXY=10\.0\.0\.7,127\.0\.0\.1/,
  },
  {
    what: 'compresses answers',
    change: before('encode gzip zstd'),
    found: ['warning compression'],
    mend: /remove: encode/,
  },
  {
    what: 'takes headers away',
    change: within('header_down -X-Content-Type-Options\nheader_down -Strict-Transport-Security'),
    found: ['error hsts', 'error security_headers'],
    mend: /remove: header X-Content-Type-Options/,
  },
  {
    what: 'allows every origin',
    change: within('header_down Access-Control-Allow-Origin *'),
    found: ['warning cors_foreign'],
    mend: /remove: header Access-Control-Allow-Origin/,
  },
  {
    what: 'takes small bodies alone',
    change: before('request_body {\n\t\tmax_size 100KB\n\t}'),
    found: ['warning body_limit'],
    mend: /request_body \{ max_size 1025KiB \}/,
  },
  {
    what: 'answers TRACE with the request',
    change: before('@trace method TRACE\n\trespond @trace "{http.request.header.x-doctor}" 200'),
    found: ['error trace'],
    mend: /respond @trace 405/,
  },
  {
    what: 'opens tunnels',
    change: before('@connect method CONNECT\n\trespond @connect 200'),
    found: ['error connect'],
    mend: /respond @connect 405/,
  },
  {
    what: 'takes a prefix away',
    change: (text) => text.replace('\treverse_proxy', '\trewrite * /auth{uri}\n\treverse_proxy'),
    found: ['error service'],
    mend: /reverse_proxy/,
  },
  {
    what: 'has a certificate that ends in a week',
    certificate: certificate({ ...shown, notAfter: day(7) }),
    found: ['warning certificate_end'],
    mend: /Caddy renews it by itself/,
  },
  {
    what: 'has a certificate that has expired',
    certificate: certificate({ ...shown, notAfter: day(-2) }),
    found: ['error certificate_end'],
    mend: /Caddy renews it by itself/,
  },
  {
    what: 'has the certificate of another host',
    certificate: certificate({ ...shown, hosts: ['www.example.org'] }),
    found: ['error certificate'],
    mend: /Get a certificate for this name/,
  },
]

suite('doctor, of a service behind Caddy that', { skip: missingProxy('Caddy') }, () => {
  for (const { what, env = {}, found, mend, ...options } of broken) {
    test(what, async () => {
      const behind = await deployment({ ...production, ...env })
      const seen = await examined(behind, await proxied(behind, 'Caddy', options))
      assert.deepEqual(seen.found, found, JSON.stringify(seen.report.findings, null, 1))
      const lines = seen.report.findings.map((one) => Object.values(one.mend).join('\n'))
      assert.match(lines.join('\n'), mend)
      assert.equal(seen.code, found.some((one) => one.startsWith('error')) ? 1 : 0)
    })
  }

  test('has a certificate of an authority that this machine does not know', async () => {
    const behind = await deployment(production)
    const words = (await proxied(behind, 'Caddy')).replace(/ --ca .*/, '')
    assert.deepEqual((await examined(behind, words)).found, ['error certificate'])
  })
})
