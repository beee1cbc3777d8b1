import assert from 'node:assert/strict'
import { createCipheriv, createHash, scryptSync } from 'node:crypto'
import { suite, test } from 'node:test'
import { seededRandom } from '../../../test/random.ts'
import { parseForeign } from './foreign-hash.ts'
import { foreignHashRefusal, hashRefusal } from './given-hash.ts'
import { costliestKinds, hashKindOf } from './hash-kinds.ts'
import type { HashSettings } from './hash-settings.ts'
import { isOutdated, verifyPassword } from './password.ts'
import { wrapHash } from './wrapped-hash.ts'

const settings: HashSettings = {
  hash: 'argon2id',
  argon2MemoryKib: 64,
  argon2Passes: 1,
  bcryptCost: 4,
  pbkdf2Iterations: 1000,
}
const password = 'päss ﬁne word'
const salt = Buffer.from('0123456789abcdef')
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
const digest = (name: string, ...more: Uint8Array[]) =>
  Buffer.concat([
    more.reduce((hash, bytes) => hash.update(bytes), createHash(name).update(password)).digest(),
    ...more,
  ])
const costs = { N: 1024, r: 8, p: 1 }
const key = scryptSync(password, salt, 32, costs)
const stream = createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(64))

const foreign: Readonly<Record<string, string>> = {
  '{SHA}': `{SHA}${base64(digest('sha1'))}`,
  '{SSHA}': `{SSHA}${base64(digest('sha1', salt))}`,
  '{ssha512}': `{ssha512}${base64(digest('sha512', salt))}`,
  '{SMD5}': `{SMD5}${base64(digest('md5', salt))}`,
  scrypt: `$scrypt$ln=10,r=8,p=1$${base64(salt)}$${base64(scryptSync(password, salt, 32, costs))}`,
  'scrypt of NFKC': `$scrypt-nfkc$ln=10,r=8,p=1$${base64(salt)}$${base64(
    scryptSync(password.normalize('NFKC'), salt, 64, costs),
  )}`,
  'scrypt of a key stream': `$scrypt-key$ln=10,r=8,p=1$${base64(salt)}$${base64(stream)}`,
}

const wrap = async (text: string) => {
  const parsed = parseForeign(text)
  assert.ok(parsed, text)
  return wrapHash(parsed, settings, seededRandom(7))
}

suite('wrapped hashes', () => {
  for (const [kind, text] of Object.entries(foreign)) {
    test(`${kind}: Argon2id is stored, which verifies the password and no other`, async () => {
      assert.equal(foreignHashRefusal(text, settings), undefined)
      assert.notEqual(hashRefusal(text, settings), undefined)
      const stored = await wrap(text)
      const fast = parseForeign(text)?.digest ?? Buffer.alloc(0)
      for (const form of ['base64', 'hex', 'latin1'] as const) {
        assert.ok(!stored.includes(fast.toString(form).replaceAll('=', '')), 'no fast hash')
      }
      assert.equal(await verifyPassword(password, stored), true)
      for (const other of ['', `${password} `, text, stored, `${password}\0`]) {
        assert.equal(await verifyPassword(other, stored), false, other)
      }
      assert.equal(await verifyPassword(password, text), false, 'never in its own form')
      assert.equal(isOutdated(stored, settings), true)
      assert.equal(hashRefusal(stored, settings), undefined, 'an export of ours comes in again')
    })

    test(`${kind}: two accounts have one kind of hash, whose cost is known`, async () => {
      const other = Buffer.from('another salt').toString('base64')
      const twin = text.startsWith('$scrypt') ? text.replace(base64(salt), other) : text
      const kinds = await Promise.all([text, twin].map(async (one) => hashKindOf(await wrap(one))))
      assert.equal(kinds[0], kinds[1])
      const named = kinds.map((name) => ({ name, example: '' }))
      assert.equal(costliestKinds(named).length, 1)
    })

    test(`${kind}: verifies nothing once it is damaged`, async () => {
      const stored = await wrap(text)
      const damaged = [
        stored.slice(0, -1),
        stored.slice(1),
        `${stored}\n`,
        stored.replace('b=', 'b=1'),
        stored.replace('$wrapped$', '$wrapped$x'),
        stored.replace('ln=10', 'ln=60').replace('m=64', 'm=99999999999'),
        stored.replace('.', ''),
      ]
      for (const one of damaged) assert.equal(await verifyPassword(password, one), false, one)
    })
  }

  test('MD5-crypt', async () => {
    // As `openssl passwd -1 -salt saltsalt password` writes it.
    const text = '$1$saltsalt$qjXMvbEw8oaL.CzflDtaK/'
    const stored = await wrap(text)
    assert.equal(await verifyPassword('password', stored), true)
    assert.equal(await verifyPassword('Password', stored), false)
  })

  test('PBKDF2 with few iterations counts as a fast hash', async () => {
    assert.ok(parseForeign('$pbkdf2-sha256$i=1$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAA'))
    assert.equal(
      parseForeign('$pbkdf2-sha256$i=1000$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAA'),
      undefined,
    )
  })

  test('a hash that costs too much, or of another kind than its label, is refused', () => {
    const hash = base64(Buffer.alloc(32, 1))
    const tooCostly = 'has too high a cost: N x r x p is 2097152 at most'
    for (const at of ['ln=20,r=8,p=1', 'ln=62,r=8,p=1', 'ln=14,r=8,p=99', 'ln=17,r=16,p=1']) {
      assert.equal(foreignHashRefusal(`$scrypt$${at}$AAAA$${hash}`, settings), tooCostly, at)
    }
    const form = hashRefusal('', settings)
    for (const text of [
      '{SSHA}$2b$04$abcdefghijklmnopqrstuuabcdefghijklmnopqrstuvwxyzabcdefgh',
      `{SSHA}${base64(digest('sha1'))}`,
      `{SHA}${base64(digest('sha1', salt))}`,
      `{SHA}${base64(Buffer.alloc(4))}`,
      '{SHA}',
      '{CLEARTEXT}password',
      '$1$saltsaltsalt$qjXMvbEw8oaL.CzflDtaK/',
      '$1$saltsalt$qjXMvbEw8oaL.CzflDtaKz',
      '$scrypt$ln=0,r=8,p=1$AAAA$AAAA',
      `$scrypt$ln=14,r=8,p=1$AAAA$${base64(Buffer.alloc(8))}`,
      `$wrapped$sha1,b=20$v=19$m=64,t=1,p=1$AAAA$.${hash}`,
    ]) {
      assert.equal(foreignHashRefusal(text, settings), form, text)
    }
  })
})
