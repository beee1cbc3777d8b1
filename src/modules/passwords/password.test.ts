import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { importedHashes, unpadded } from '../../../test/hashes.ts'
import { seededRandom } from '../../../test/random.ts'
import { vectors, vectorsTest } from '../../../test/vectors.ts'
import type { HashSettings } from './hash-settings.ts'
import { hashPassword, isOutdated, verifyPassword } from './password.ts'

const cost: HashSettings = {
  hash: 'argon2id',
  argon2MemoryKib: 19_456,
  argon2Passes: 2,
  bcryptCost: 12,
  pbkdf2Iterations: 100_000,
}
const password = 'Ein Paßwort für dich'

suite('a password hash of ours', async () => {
  const hash = await hashPassword(password, cost, seededRandom(1))

  test('is an Argon2id PHC string at the configured cost, with a salt of 16 bytes', async () => {
    assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    const random = seededRandom(2)
    const two = [
      await hashPassword(password, cost, random),
      await hashPassword(password, cost, random),
    ]
    assert.equal(new Set([hash, ...two]).size, 3)
  })

  test('verifies its password in either normal form, and no other', async () => {
    assert.equal(await verifyPassword(password, hash), true)
    assert.equal(await verifyPassword(password.normalize('NFD'), hash), true)
    for (const other of ['', `${password} `, password.toUpperCase(), `${password}\0`, hash]) {
      assert.equal(await verifyPassword(other, hash), false, other)
    }
  })

  test('is outdated when a new one would cost more, or be of another kind', () => {
    const outdated: readonly (readonly [string, boolean])[] = [
      [hash, false],
      ['$argon2id$v=19$m=65536,t=3,p=1$c29tZXNhbHQ$AAAA', false],
      ['$argon2id$v=19$m=19455,t=2,p=1$c29tZXNhbHQ$AAAA', true],
      ['$argon2id$v=19$m=19456,t=1,p=1$c29tZXNhbHQ$AAAA', true],
      ['$argon2id$v=16$m=19456,t=2,p=1$c29tZXNhbHQ$AAAA', true],
      ['$argon2id$m=19456,t=2,p=1$c29tZXNhbHQ$AAAA', true],
      ['$argon2i$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$AAAA', true],
      ['$argon2d$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$AAAA', true],
      ['$2b$14$abcdefghijklmnopqrstuv', true],
      ['$pbkdf2-sha256$i=600000$c29tZXNhbHQ$AAAA', true],
      ['', true],
    ]
    for (const [stored, expected] of outdated) assert.equal(isOutdated(stored, cost), expected)
    assert.equal(isOutdated(hash, { ...cost, argon2Passes: 3 }), true)
    assert.equal(isOutdated(hash, { ...cost, argon2MemoryKib: 19_457 }), true)
  })
})

suite('a password hash of the other kinds', async () => {
  const kinds = {
    bcrypt: /^\$2[by]\$12\$[./A-Za-z0-9]{53}$/,
    pbkdf2: /^\$pbkdf2-sha256\$i=100000\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/,
  }
  for (const kind of ['bcrypt', 'pbkdf2'] as const) {
    const settings = { ...cost, hash: kind }

    test(`has its format, a salt of its own, and verifies its password alone: ${kind}`, async () => {
      const random = seededRandom(3)
      const made = await hashPassword(password, settings, random)
      assert.match(made, kinds[kind])
      assert.notEqual(await hashPassword(password, settings, random), made)
      assert.equal(await verifyPassword(password.normalize('NFD'), made), true)
      for (const other of ['', `${password} `, `${password}\0`]) {
        assert.equal(await verifyPassword(other, made), false, other)
      }
      assert.equal(isOutdated(made, settings), false)
      assert.equal(isOutdated(made, cost), true)
      assert.equal(isOutdated(hash, settings), true)
    })
  }
  const hash = await hashPassword(password, cost, seededRandom(4))

  test('bcrypt is made of no more than 72 bytes', async () => {
    const settings = { ...cost, hash: 'bcrypt' } as const
    await assert.rejects(hashPassword('ü'.repeat(37), settings, seededRandom(5)), /bcrypt/)
  })

  for (const [about, settings, stored, expected] of [
    ['as dear', { hash: 'bcrypt' }, '$2b$12$x', false],
    ['dearer', { hash: 'bcrypt' }, '$2a$14$x', false],
    ['cheaper', { hash: 'bcrypt' }, '$2y$11$x', true],
    ['cheaper than a dearer setting', { hash: 'bcrypt', bcryptCost: 13 }, '$2b$12$x', true],
    ['as dear', { hash: 'pbkdf2' }, '$pbkdf2-sha256$i=100000$a$b', false],
    ['as dear, rounds alone', { hash: 'pbkdf2' }, '$pbkdf2-sha512$100000$a$b', false],
    ['dearer, with a length', { hash: 'pbkdf2' }, '$pbkdf2-sha256$i=200000,l=32$a$b', false],
    ['cheaper', { hash: 'pbkdf2' }, '$pbkdf2-sha256$i=99999$a$b', true],
    ['of SHA-1', { hash: 'pbkdf2' }, '$pbkdf2-sha1$i=900000$a$b', true],
    ['nothing', { hash: 'pbkdf2' }, '', true],
  ] as const) {
    test(`${settings.hash} ${about} is ${expected ? '' : 'not '}outdated: ${stored}`, () =>
      assert.equal(isOutdated(stored, { ...cost, ...settings }), expected))
  }
})

suite('an imported password hash', async () => {
  for (const [kind, make] of Object.entries(importedHashes)) {
    const hash = await make(password)

    test(`verifies its password and no other: ${kind}`, async () => {
      assert.equal(await verifyPassword(password, hash), true)
      assert.equal(await verifyPassword(password.normalize('NFD'), hash), true)
      for (const other of ['', 'x', `${password} `, password.slice(1), hash]) {
        assert.equal(await verifyPassword(other, hash), false, other)
      }
    })

    test(`verifies nothing once it is damaged: ${kind}`, async () => {
      const [salt, made] = hash.split('$').slice(-2)
      const damaged = [
        hash.slice(1),
        hash.slice(0, hash.lastIndexOf('$') + 11), // 7 bytes of hash, or of salt and hash
        hash.slice(0, hash.lastIndexOf('$') + 1),
        hash.replace(/\d+/, '99'),
        hash.replaceAll('$', ''),
        ` ${hash}`,
        `${hash}$`,
        `${hash}\n`,
        hash.replace(`${salt}$${made}`, `${made}$${salt}`),
      ]
      for (const stored of damaged) {
        if (stored === hash) continue
        assert.equal(await verifyPassword(password, stored), false, stored)
      }
    })
  }

  test('a hash cut to its first byte matches no password', async () => {
    const verdicts = await Promise.all(
      Array.from({ length: 2000 }, (_, n) => verifyPassword(`${n}`, '$pbkdf2-sha256$1$c2FsdA$AA')),
    )
    assert.equal(verdicts.includes(true), false)
  })

  const malformed = [
    '',
    '$',
    'plain:x',
    password,
    '*',
    '!',
    'x'.repeat(100_000),
    '$argon2id$',
    '$argon2id$v=19$m=19456,t=2,p=1$$',
    '$argon2id$v=19$m=0,t=0,p=0$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA',
    '$argon2id$v=19$m=99999999999,t=2,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA',
    '$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$',
    '$argon2x$v=19$m=8,t=1,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA',
    '$2b$',
    '$2b$03$abcdefghijklmnopqrstuuabcdefghijklmnopqrstuvwxyzabcdefgh',
    '$2b$32$abcdefghijklmnopqrstuuabcdefghijklmnopqrstuvwxyzabcdefgh',
    '$2b$-1$abcdefghijklmnopqrstuuabcdefghijklmnopqrstuvwxyzabcdefgh',
    '$2b$04$\u00e9\u00e9\u00e9',
    '$2x$04$abcdefghijklmnopqrstuuabcdefghijklmnopqrstuvwxyzabcdefgh',
    '$pbkdf2-sha256$',
    '$pbkdf2-sha256$0$c2FsdA$AAAAAAAAAAAAAAAAAAAAAA',
    '$pbkdf2-sha256$-1$c2FsdA$AAAAAAAAAAAAAAAAAAAAAA',
    '$pbkdf2-sha256$1e3$c2FsdA$AAAAAAAAAAAAAAAAAAAAAA',
    '$pbkdf2-sha256$9999999999$c2FsdA$AAAAAAAAAAAAAAAAAAAAAA',
    '$pbkdf2-sha256$1000$c2FsdA$',
    '$pbkdf2-sha256$1000$c2FsdA$A',
    '$pbkdf2-sha256$1000$c2FsdA$=',
    '$pbkdf2-sha256$1000$$AAAAAAAAAAAAAAAAAAAAAA',
    '$pbkdf2-md5$1000$c2FsdA$AAAAAAAAAAAAAAAAAAAAAA',
    '$pbkdf2-sha256$1000$c2FsdA$AAAAAAAAAAAAAAAAAAAAAA$x',
  ]

  test('malformed ones verify nothing and throw nothing', async () => {
    for (const stored of malformed) {
      for (const text of [password, stored, '', '\0', '\ud800']) {
        assert.equal(await verifyPassword(text, stored), false, stored.slice(0, 80))
      }
    }
  })
})

const read = <Shape>(path: string): Shape => vectors<Shape>(path) ?? assert.fail(path)

interface BcryptFile {
  readonly vectors: readonly { readonly password_base64: string; readonly hash: string }[]
}
interface Argon2File {
  readonly encoded_vectors: readonly (EncodedHash & { readonly m_KiB: number })[]
  readonly decode_errors: readonly EncodedHash[]
}
interface EncodedHash {
  readonly encoded: string
  readonly password: string
}
interface RfcFile {
  readonly vectors: readonly {
    readonly prf: string
    readonly password: string
    readonly salt: string
    readonly iterations: number
    readonly dk_hex: string
  }[]
}
interface WycheproofFile {
  readonly testGroups: readonly {
    readonly tests: readonly {
      readonly password: string
      readonly salt: string
      readonly iterationCount: number
      readonly dk: string
    }[]
  }[]
}

/** What an account can have: text without a NUL. */
function asText(bytes: Buffer): string | null {
  const text = bytes.toString('utf8')
  const isText = Buffer.from(text).equals(bytes) && text === text.normalize('NFC')
  return isText && !text.includes('\0') ? text : null
}

const bcryptFile = 'password-hash/bcrypt.json'
if (!vectors(bcryptFile))
  vectorsTest(bcryptFile, 'published vectors of hashes', () => assert.fail())
else {
  suite('published vectors', () => {
    test('bcrypt: every password that is text verifies, and a near one does not', async () => {
      let verified = 0
      for (const { password_base64, hash } of read<BcryptFile>('password-hash/bcrypt.json')
        .vectors) {
        const text = asText(Buffer.from(password_base64, 'base64'))
        if (text === null) continue
        assert.equal(await verifyPassword(text, hash), true, hash)
        assert.equal(await verifyPassword(`${text}x`, hash), false, hash)
        verified += 1
      }
      assert.ok(verified >= 23, `${verified} verified`)
    })

    const argon2 = read<Argon2File>('password-hash/argon2.json')

    test('Argon2: every encoding of modest memory verifies, and none that is damaged', async () => {
      const modest = 65_536
      let verified = 0
      for (const { encoded, password: text, m_KiB } of argon2.encoded_vectors) {
        if (m_KiB > modest) continue
        assert.equal(await verifyPassword(text, encoded), true, encoded)
        verified += 1
      }
      assert.ok(verified >= 20, `${verified} verified`)
      for (const { encoded, password: text } of argon2.decode_errors) {
        assert.equal(await verifyPassword(text, encoded), false, encoded)
      }
    })

    const pbkdf2 = [
      ...read<RfcFile>('password-hash/pbkdf2-rfc.json').vectors.map((vector) => ({
        algorithm: vector.prf.replace('HMAC-', '').toLowerCase(),
        password: Buffer.from(vector.password),
        salt: Buffer.from(vector.salt),
        iterations: vector.iterations,
        made: Buffer.from(vector.dk_hex, 'hex'),
      })),
      ...['sha1', 'sha256', 'sha512'].flatMap((algorithm) =>
        read<WycheproofFile>(`wycheproof/pbkdf2_hmac${algorithm}_test.json`).testGroups.flatMap(
          ({ tests }) =>
            tests.map((vector) => ({
              algorithm,
              password: Buffer.from(vector.password, 'hex'),
              salt: Buffer.from(vector.salt, 'hex'),
              iterations: vector.iterationCount,
              made: Buffer.from(vector.dk, 'hex'),
            })),
        ),
      ),
    ]

    for (const algorithm of ['sha1', 'sha256', 'sha512']) {
      test(`PBKDF2-${algorithm}: every password that is text verifies, and a near one does not`, async () => {
        const maxIterations = 100_000
        let verified = 0
        for (const vector of pbkdf2) {
          const text = asText(vector.password)
          if (vector.algorithm !== algorithm || text === null || vector.iterations > maxIterations)
            continue
          if (vector.salt.length === 0) continue // a hash without a salt is malformed
          const made = Buffer.from(vector.made)
          const stored = (key: Buffer) =>
            `$pbkdf2-${algorithm}$i=${vector.iterations}$${unpadded(vector.salt)}$${unpadded(key)}`
          assert.equal(await verifyPassword(text, stored(made)), true, stored(made))
          made[made.length - 1] = (made.at(-1) ?? 0) ^ 1
          assert.equal(await verifyPassword(text, stored(made)), false, stored(made))
          verified += 1
        }
        assert.ok(verified >= 20, `${verified} verified`)
      })
    }
  })
}
