import assert from 'node:assert/strict'
import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { loadConfig } from '../../../test/config.ts'
import { certificate } from '../../../test/self-signed.ts'
import { localCertificate } from '../../../test/tls-files.ts'
import { type Config, ConfigError } from './load.ts'
import { lifeWarning, readTlsPair } from './tls.ts'

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-'))
after(() => rmSync(folder, { recursive: true }))
const file = (name: string) => join(folder, name)
const write = (name: string, text: string, mode = 0o600) => {
  writeFileSync(file(name), text, { mode })
  return file(name)
}

const own = localCertificate()
const certFile = write('cert.pem', own.cert)
const keyFile = write('key.pem', own.key)
const TLS = { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile }
const passphrase = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' } as const

function outcome(env: Record<string, string>): Config | readonly string[] {
  try {
    return loadConfig(env)
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.mistakes
  }
}

suite('TLS_CERT_FILE and TLS_KEY_FILE', () => {
  const noPem = 'TLS_CERT_FILE must hold certificates in PEM, that of the service first'
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey
  const mistakes: readonly [string, Record<string, string>, readonly (string | RegExp)[]][] = [
    [
      'a certificate without a key',
      { TLS_CERT_FILE: certFile },
      ['TLS_KEY_FILE must be set with TLS_CERT_FILE'],
    ],
    [
      'a key without a certificate, and an empty text for it',
      { TLS_CERT_FILE: '', TLS_KEY_FILE: keyFile },
      ['TLS_CERT_FILE must be set with TLS_KEY_FILE'],
    ],
    [
      'two files that are missing: both are told',
      { TLS_CERT_FILE: file('none'), TLS_KEY_FILE: file('no') },
      [
        /^TLS_CERT_FILE cannot be read: ENOENT.*none'$/,
        /^TLS_KEY_FILE cannot be read: ENOENT.*no'$/,
      ],
    ],
    [
      'a folder and an empty file',
      { TLS_CERT_FILE: folder, TLS_KEY_FILE: write('empty', ' \n') },
      [/^TLS_CERT_FILE cannot be read: EISDIR/, /^TLS_KEY_FILE is empty: .*empty$/],
    ],
    [
      'a device, whose end may never come, and a file that is none of these',
      { TLS_CERT_FILE: '/dev/null', TLS_KEY_FILE: write('long', 'x'.repeat(1_048_577)) },
      [
        'TLS_CERT_FILE cannot be read: /dev/null is no file',
        /^TLS_KEY_FILE cannot be read: .*long is longer than 1 MiB$/,
      ],
    ],
    [
      'the two files in each other’s place',
      { TLS_CERT_FILE: keyFile, TLS_KEY_FILE: certFile },
      [noPem, 'TLS_KEY_FILE must hold a private key in PEM'],
    ],
    [
      'a certificate behind which the chain is damaged',
      {
        ...TLS,
        TLS_CERT_FILE: write('damaged', own.cert + own.cert.replace(/\n[^-]{20}/, '\n')),
      },
      [noPem],
    ],
    [
      'a key with a passphrase',
      {
        ...TLS,
        TLS_KEY_FILE: write('locked', createPrivateKey(own.key).export(passphrase) as string),
      },
      ['TLS_KEY_FILE must hold a key without a passphrase'],
    ],
    [
      'a key of another certificate',
      { ...TLS, TLS_KEY_FILE: write('other', localCertificate().key) },
      ['TLS_KEY_FILE does not fit the first certificate of TLS_CERT_FILE'],
    ],
    [
      'a chain that begins with the issuer',
      { ...TLS, TLS_CERT_FILE: write('upside', localCertificate().cert + own.cert) },
      ['TLS_KEY_FILE does not fit the first certificate of TLS_CERT_FILE'],
    ],
    [
      'a weak key that is not even the right one',
      {
        ...TLS,
        TLS_KEY_FILE: write('weak', weak.export({ type: 'pkcs8', format: 'pem' }) as string),
      },
      ['TLS_KEY_FILE does not fit the first certificate of TLS_CERT_FILE'],
    ],
    [
      'an address of plain HTTP, a redirect to itself, and a port that is none',
      { ...TLS, BASE_URL: 'http://localhost', HTTP_REDIRECT_PORT: '3000' },
      [
        'HTTP_REDIRECT_PORT must not be PORT, which is for HTTPS',
        'BASE_URL must be https with TLS_CERT_FILE',
      ],
    ],
    [
      'a redirect without HTTPS',
      { HTTP_REDIRECT_PORT: '0' },
      ['HTTP_REDIRECT_PORT must not be set without TLS_CERT_FILE and TLS_KEY_FILE'],
    ],
    ...['65536', '-1', '8o', '1e3'].map(
      (port): [string, Record<string, string>, readonly string[]] => [
        `the redirect port ${port}`,
        { ...TLS, HTTP_REDIRECT_PORT: port },
        ['HTTP_REDIRECT_PORT must be a whole number from 0 to 65535'],
      ],
    ),
  ]
  for (const [what, env, wanted] of mistakes) {
    test(`${what}: refused`, () => {
      const told = outcome(env)
      assert.ok(Array.isArray(told), 'it starts')
      assert.equal(told.length, wanted.length, told.join('\n'))
      for (const [index, line] of wanted.entries()) {
        if (typeof line === 'string') assert.equal(told[index], line)
        else assert.match(told[index], line)
      }
    })
  }

  test('what OpenSSL finds too weak is refused, with its reason', () => {
    const { cert, key } = certificate({
      commonName: 'localhost',
      hosts: ['localhost'],
      rsaBits: 1024,
    })
    const files = { certFile: write('small.pem', cert), keyFile: write('small.key', key) }
    const { pair, mistakes: told } = readTlsPair(files, { baseUrl: 'https://localhost' })
    assert.equal(pair, null)
    assert.match(told.join('\n'), /^TLS_CERT_FILE cannot be used: .*ee key too small$/)
  })

  test('mistakes of other settings are told beside them', () => {
    const told = outcome({ PORT: 'x', TLS_CERT_FILE: certFile })
    assert.deepEqual(told, [
      'PORT must be a whole number from 0 to 65535',
      'TLS_KEY_FILE must be set with TLS_CERT_FILE',
    ])
  })

  const addresses: readonly [Record<string, string>, string][] = [
    [{}, 'https://127.0.0.1:3000'],
    [{ PORT: '443', HOST: '0.0.0.0' }, 'https://localhost'],
    [{ BASE_URL: 'https://localhost:8443' }, 'https://localhost:8443'],
  ]
  for (const [env, baseUrl] of addresses) {
    test(`with ${JSON.stringify(env)} callers use ${baseUrl}, which is the issuer too`, () => {
      const config = loadConfig({ ...env, ...TLS, HTTP_REDIRECT_PORT: '80' })
      assert.deepEqual([config.baseUrl, config.token.issuer], [baseUrl, baseUrl])
      assert.deepEqual([config.http.tls, config.http.redirectPort], [{ certFile, keyFile }, 80])
      assert.deepEqual(config.warnings, [])
    })
  }

  test('without them the service speaks plain HTTP', () => {
    const { http } = loadConfig({ TLS_CERT_FILE: '', TLS_KEY_FILE: '' })
    assert.deepEqual([http.tls, http.redirectPort], [undefined, undefined])
  })

  test('production starts with them and no proxy', () => {
    const env = { ...TLS, NODE_ENV: 'production', BASE_URL: 'https://localhost' }
    assert.deepEqual(outcome(env), [
      'TRUST_PROXY must be set in production: the proxies in front, or none',
    ])
    assert.deepEqual(loadConfig({ ...env, TRUST_PROXY: 'none' }).warnings, [])
  })

  test('a key that others can read, and a name that is not in the certificate, are warned of', () => {
    mkdirSync(file('open'))
    const open = write('open/key.pem', own.key)
    chmodSync(open, 0o644)
    const env = { ...TLS, TLS_KEY_FILE: open, BASE_URL: 'https://auth.example.org' }
    assert.deepEqual(loadConfig(env).warnings, [
      `TLS_KEY_FILE: ${open} can be read by other users of this machine`,
      'TLS_CERT_FILE: the certificate does not name auth.example.org, the host of BASE_URL',
    ])
    const byAddress = loadConfig({ ...TLS, BASE_URL: 'https://127.0.0.2' }).warnings
    assert.deepEqual(byAddress, [
      'TLS_CERT_FILE: the certificate does not name 127.0.0.2, the host of BASE_URL',
    ])
  })
})

suite('the life of a certificate', () => {
  const lives: readonly [string, string | null][] = [
    [
      '2024-12-31T23:59:59Z',
      'is valid from 2025-01-01T00:00:00.000Z on: clients refuse it until then',
    ],
    ['2025-01-01T00:00:00Z', null],
    ['2026-05-18T00:00:00Z', null],
    ['2026-05-18T00:00:01Z', 'expires at 2026-06-01T00:00:00.000Z, within 14 days: renew it'],
    ['2026-05-31T23:59:59Z', 'expires at 2026-06-01T00:00:00.000Z, within 1 day: renew it'],
    ['2026-06-01T00:00:01Z', 'has expired at 2026-06-01T00:00:00.000Z: clients refuse it'],
  ]
  for (const [now, told] of lives) {
    test(`at ${now}: ${told ?? 'nothing is told'}`, () => {
      const { cert, key } = localCertificate('260601')
      const files = { certFile: write('life.pem', cert), keyFile: write('life.key', key) }
      const { pair } = readTlsPair(files, { baseUrl: 'https://localhost' })
      assert.ok(pair)
      const wanted = told && `TLS_CERT_FILE: the certificate ${told}`
      assert.equal(lifeWarning(pair, Date.parse(now))?.en ?? null, wanted)
    })
  }
})
