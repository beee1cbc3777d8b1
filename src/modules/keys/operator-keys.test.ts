import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { loadConfig } from '../../../test/config.ts'
import { ConfigError } from '../../core/config/load.ts'

const strong = 'fq0Yk7Wn2vXc9RtLz4Hs8PbJm1Gd6TeU'

/** What loadConfig says against a value; the value itself is never in it. */
function complaint(name: string, value: string): string {
  try {
    loadConfig({ [name]: value })
    return ''
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    assert.ok(!error.message.includes(value.trim()), `${name} is told in the mistake`)
    assert.equal(error.mistakes.length, 1)
    return error.mistakes[0] ?? ''
  }
}

function pemOf({ privateKey }: { privateKey: KeyObject }): string {
  return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
}

const tooShort = /must have at least 32 bytes$/
const repeated = /is one unit repeated$/
const uniform = /must have at least 8 different bytes$/
const weak: [secret: string, complaint: RegExp][] = [
  ['x', tooShort],
  ['1234567890123456789012345678901', tooShort],
  ['\u00e9tude n\u00b0 7, op. 10 pour piano', tooShort],
  ['a'.repeat(32), repeated],
  ['a'.repeat(4096), repeated],
  ['ab'.repeat(16), repeated],
  ['secret'.repeat(6), repeated],
  [`${'secret'.repeat(6)}sec`, repeated],
  ['0123456789'.repeat(4), repeated],
  ['0123456789abcdeg'.repeat(2), repeated],
  ['correct horse battery staple '.repeat(2), repeated],
  ['aaaaaaaabbbbbbbbccccccccddddddddeeeeeeee', uniform],
  ['abcdefgabcdefgabcdefgfedcbaabcdefg', uniform],
  ['0110100110010110100101100110100110010110', uniform],
]

// From specifications, manuals and the tutorials that are copied most.
const published = [
  'AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow', // RFC 7515
  'hJtXIZ2uSN5kbQfbtTNWbpdmhkV8FJG-Onbc6mxCcYg', // RFC 7520 section 3.5
  'a-string-secret-at-least-256-bits-long',
  'a-valid-string-secret-that-is-at-least-512-bits-long-which-is-very-long',
  'your-super-secret-jwt-token-with-at-least-32-characters-long',
  'super-secret-jwt-token-with-at-least-32-characters-long',
  '404E635266556A586E3272357538782F413F4428472B4B6250645367566B5970',
  '09d25e094faa6ca2556c818166b7a9563b93f7099f6f0f4caa6cf63b88e8d3e7', // FastAPI's manual
  'cc7e0d44fd473002f1c42167459001140ec6389b7353f8088f4d9a95f2f596f2', // jose's manual
  '5367566B59703373367639792F423F4528482B4D6251655468576D5A71347437', // Spring tutorials
  '3cfa76ef14937c1c0ea519f8fc057a80fcd04a7420f8e8bcd0a7567c272e007b', // Spring tutorials
  '======================BezKoder=Spring===========================',
  'GQDstcKsx0NHjPOuXOYg5MbeJ1XT0uFiwDVvVBrk', // jwt-dotnet's manual
  'this is my custom Secret key for authentication', // ASP.NET tutorials
  '3EK6FD+o0+c7tzBNVfjpMkNDi2yARAAKzQlk8O2IKoxQu4nF7EdAh8s3TwpHwrdWT6R', // Hasura's manual
  'reallyreallyreallyreallyverysafe', // PostgREST's manual
  '6116487b-cda1-52c2-b5b5-c8022c45e263', // Directus' manual
  '255d861b-5ea1-5996-9aa3-922530ec40b1', // Directus' manual
]
const placeholders = [
  'please-change-me-before-going-to-production',
  'replace_this_with_a_long_random_string_1234',
  'THIS IS USED TO SIGN AND VERIFY JWT TOKENS, REPLACE IT WITH YOUR OWN SECRET',
  'django-insecure-0x7f3k2m9q8w1e5r6t4y2u0i',
  'your-256-bit-secret-goes-into-this-line',
]

suite('keys of the operator', () => {
  for (const name of ['TOKEN_SECRET', 'TOKEN_SECRET_PREVIOUS']) {
    test(`${name} that is too short, one unit repeated or of few bytes is refused`, () => {
      for (const [value, message] of weak) assert.match(complaint(name, value), message, value)
    })

    test(`${name} that is publicly known is refused`, () => {
      const accepted = published.filter((value) => complaint(name, value) === '')
      assert.deepEqual(accepted, [])
    })

    test(`${name} that a template leaves to be replaced is refused`, () => {
      for (const value of placeholders) {
        assert.match(complaint(name, value), /looks like a placeholder of a template$/, value)
      }
    })

    test(`${name} of 32 bytes and of 4096 is accepted`, () => {
      const good = [
        strong,
        '0f1e2d3c4b5a69788796a5b4c3d2e1f0',
        'h\u00e9t\u00f6\u00fc\u00e0\u00e7\u00f1\u00df\u00e5 no6 1es3 \u{1f511}x',
      ]
      for (const value of [...good, `${strong.repeat(100)}!`]) {
        assert.equal(complaint(name, value), '', value)
      }
    })
  }

  test('MASTER_KEY must be 32 varied bytes, as hex or base64url', () => {
    const shape = /must be 32 bytes, as 64 hex digits or 43 characters of base64url$/
    const varied = '00112233445566778899aabbccddeeff0f1e2d3c4b5a69788796a5b4c3d2e1f0'
    const base64url = Buffer.from(varied, 'hex').toString('base64url')
    for (const value of [varied, varied.toUpperCase(), base64url]) {
      assert.equal(complaint('MASTER_KEY', value), '')
    }
    const bad: [value: string, message: RegExp][] = [
      [varied.slice(1), shape],
      [`${varied}0`, shape],
      [`0x${varied.slice(2)}`, shape],
      [`${base64url}=`, shape],
      [base64url.slice(1), shape],
      [`${base64url.slice(0, -1)}+`, shape],
      ['correct horse battery staple', shape],
      ['0'.repeat(64), repeated],
      ['0123456789abcdef'.repeat(4), repeated],
      ['A'.repeat(43), repeated],
      ['00000000111111112222222233333333'.repeat(2), repeated],
      ['0000000011111111222222223333333344444444555555556666666600000000', uniform],
    ]
    for (const [value, message] of bad) assert.match(complaint('MASTER_KEY', value), message, value)
  })

  test('TOKEN_PRIVATE_KEY must be an RSA key of at least 2048 bits in PEM', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const pem = pemOf(rsa)
    const pkcs1 = rsa.privateKey.export({ format: 'pem', type: 'pkcs1' }).toString()
    for (const value of [pem, pkcs1, pem.trimEnd(), `${pem}\n`]) {
      assert.equal(complaint('TOKEN_PRIVATE_KEY', value), '')
    }
    const short = /must have at least 2048 bits$/
    const noKey = /must be an RSA private key in PEM$/
    const bad: [value: string, message: RegExp][] = [
      [pemOf(generateKeyPairSync('rsa', { modulusLength: 1024 })), short],
      [pemOf(generateKeyPairSync('rsa', { modulusLength: 2040 })), short],
      [pemOf(generateKeyPairSync('ec', { namedCurve: 'P-256' })), noKey],
      [pemOf(generateKeyPairSync('ed25519')), noKey],
      [pemOf(generateKeyPairSync('rsa-pss', { modulusLength: 2048 })), noKey],
      [rsa.publicKey.export({ format: 'pem', type: 'spki' }).toString(), noKey],
      [
        rsa.privateKey
          .export({ format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'a' })
          .toString(),
        noKey,
      ],
      [JSON.stringify(rsa.privateKey.export({ format: 'jwk' })), noKey],
      [rsa.privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'), noKey],
      [pem.slice(0, 400), noKey],
      ['a key', noKey],
    ]
    for (const [value, message] of bad) {
      assert.match(complaint('TOKEN_PRIVATE_KEY', value), message)
    }
  })

  test('a secret comes from a file as well; one that others can read is a warning', () => {
    const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
    const file = join(directory, 'secret')
    writeFileSync(file, `${strong}\n`, { mode: 0o600 })
    const own = loadConfig({ TOKEN_SECRET_FILE: file })
    assert.deepEqual([own.token.secret?.reveal(), own.warnings], [strong, []])
    chmodSync(file, 0o644)
    const { token, warnings } = loadConfig({ TOKEN_SECRET_FILE: file })
    assert.equal(token.secret?.reveal(), strong)
    assert.deepEqual(warnings, [
      `TOKEN_SECRET_FILE: ${file} can be read by other users of this machine`,
    ])
    writeFileSync(file, `${published[0]}\r\n`)
    const bad: [env: Record<string, string>, message: RegExp][] = [
      [{ TOKEN_SECRET_FILE: file }, /TOKEN_SECRET is publicly known/],
      [{ TOKEN_SECRET_FILE: file, TOKEN_SECRET: strong }, /TOKEN_SECRET is set twice/],
      [{ TOKEN_SECRET_FILE: join(directory, 'absent') }, /TOKEN_SECRET cannot be read/],
      [{ TOKEN_SECRET_FILE: directory }, /TOKEN_SECRET cannot be read/],
    ]
    for (const [env, message] of bad) assert.throws(() => loadConfig(env), message)
    rmSync(directory, { recursive: true })
  })

  test('a configuration that is printed shows no key', () => {
    const pem = pemOf(generateKeyPairSync('rsa', { modulusLength: 2048 }))
    const { token } = loadConfig({ TOKEN_SECRET: strong, TOKEN_PRIVATE_KEY: pem })
    for (const text of [JSON.stringify(token), `${token.secret} ${token.privateKey}`]) {
      assert.ok(text.includes('[redacted]'))
      assert.ok(!text.includes(strong) && !text.includes('PRIVATE KEY'))
    }
  })

  test('an empty variable is not set', () => {
    const { token, masterKey } = loadConfig({
      TOKEN_SECRET: '',
      TOKEN_SECRET_PREVIOUS: '',
      TOKEN_PRIVATE_KEY: '',
      MASTER_KEY: '',
    })
    const given = [token.secret, token.previousSecret, token.privateKey, masterKey]
    assert.deepEqual(given, [undefined, undefined, undefined, undefined])
  })
})
