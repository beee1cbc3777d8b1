import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { loadConfig } from '../../../test/config.ts'
import { place } from '../../../test/keys.ts'
import { seededRandom } from '../../../test/random.ts'
import type { Check, Found } from '../../core/checks/check.ts'
import type { InsideContext, OfflineContext, OutsideContext } from '../../core/checks/context.ts'
import { Secret } from '../../core/crypto/secret.ts'
import { checks, jwks } from './checks.ts'
import { masterKeyId } from './master-key.ts'
import { masterKeyTurn } from './master-key-check.ts'
import { masterKeyRotationStore } from './master-key-rotation-store.ts'
import { sealKey } from './sealed-key.ts'
import { keyStore } from './store.ts'

const random = seededRandom(7)
const [one, two] = [random.bytes(32), random.bytes(32)]
const hex = (key: Uint8Array) => Buffer.from(key).toString('hex')
const dayMs = 86_400_000
const [weakSecret] = checks.offline ?? []
const [keys] = checks.opening ?? []
const [signingKeyAge] = checks.inside ?? []
assert.ok(weakSecret && keys && signingKeyAge)

/** What a check finds, in English, with the level and the setting of its remedy. */
async function found<Context>(check: Check<Context>, context: unknown) {
  const all: readonly Found[] = await check.find(context as Context)
  return all.map(({ what, level, mend }) =>
    [what.en, level, mend?.setting].filter((part) => part !== undefined),
  )
}

/** A folder with a key set of the given settings. */
async function made(env: Record<string, string> = {}) {
  const { directory, db, clock, load, rows } = await place()
  const set = await load(env)
  const configOf = (changes: Record<string, string> = {}) =>
    loadConfig({ DATA_DIR: directory, ...env, ...changes })
  const context = (changes?: Record<string, string>) => ({ db, clock, config: configOf(changes) })
  return { directory, db, clock, set, rows, context, configOf }
}

suite('the check of stored keys', () => {
  test('passes where the master key opens all keys, and one signs', async () => {
    const { context } = await made({ TOKEN_ALGORITHM: 'HS256' })
    assert.deepEqual(await found<InsideContext>(keys, context()), [])
  })

  test('finds a database without keys, and a master key that cannot be used', async () => {
    const { context, db, directory, rows } = await made()
    const stored = await rows()
    rmSync(join(directory, 'master.key'))
    const [unusable] = await found<InsideContext>(keys, context())
    assert.match(
      String(unusable),
      /^The master key cannot be used: .*master\.key cannot be read, and the key set .*\.$/,
    )
    assert.equal(existsSync(join(directory, 'master.key')), false)
    const other = await found<InsideContext>(keys, context({ MASTER_KEY: hex(one) }))
    const ids = (await keyStore(db).all()).map(({ id }) => id).join(', ')
    const closed = `The master key does not open ${stored.length} of ${stored.length} keys: ${ids}.`
    assert.deepEqual(other, [[closed]])
    await db.deleteFrom('keys').execute()
    const none = ['The database has no keys yet.', 'info']
    assert.deepEqual(await found<InsideContext>(keys, context()), [none])
  })

  test('finds the keys that another master key sealed', async () => {
    const { context, db, set, configOf } = await made({ MASTER_KEY: hex(one) })
    const [first, ...rest] = await keyStore(db).all()
    assert.ok(first && set)
    const sealed = sealKey(random, two, first, Buffer.alloc(32))
    await masterKeyRotationStore(db).seal(first.id, sealed)
    const closed = `The master key does not open 1 of ${rest.length + 1} keys: ${first.id}.`
    assert.deepEqual(await found<InsideContext>(keys, context()), [[closed]])
    const both = { ...context(), config: configOf({ MASTER_KEY_NEXT: hex(two) }) }
    assert.deepEqual(await found<InsideContext>(keys, both), [], 'either key opens a row')
  })

  test('finds that no key signs the algorithm of the settings', async () => {
    const { context, db, clock } = await made({ TOKEN_ALGORITHM: 'HS256' })
    const lacks = (algorithm: string) => [
      `No stored key signs ${algorithm}, which TOKEN_ALGORITHM asks for.`,
    ]
    const of = (env: Record<string, string>) => found<InsideContext>(keys, context(env))
    assert.deepEqual(await of({ TOKEN_ALGORITHM: 'RS256' }), [lacks('RS256')])
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
    const own = { TOKEN_PRIVATE_KEY: pem, TOKEN_SECRET: 'only the tests of checks know 0f this' }
    assert.deepEqual(await of({ TOKEN_ALGORITHM: 'RS256', ...own }), [])
    const until = (retired_at: number) =>
      db.updateTable('keys').set({ retired_at }).where('usage', '=', 'signing').execute()
    await until(clock.now() + 1)
    assert.deepEqual(await of({}), [])
    await until(clock.now())
    assert.deepEqual(await of({}), [lacks('HS256')])
    assert.deepEqual(await of({ TOKEN_PRIVATE_KEY: pem }), [lacks('HS256')])
    assert.deepEqual(await of(own), [])
  })

  test('names a file of a master key that is not used', async () => {
    const { context, directory } = await made()
    writeFileSync(join(directory, 'master.key.next'), 'no key', { mode: 0o600 })
    const [line, ...others] = await found<InsideContext>(keys, context())
    assert.deepEqual([line?.length, line?.[1], others], [2, 'warning', []])
    assert.match(String(line?.[0]), /master\.key\.next must be 32 bytes.*\.$/)
  })
})

suite('the check of the age of the signing key', () => {
  test('finds a key that has signed for two years', async () => {
    const { context, clock, set } = await made()
    const at = async (days: number, moreMs = 0) => {
      const now = clock.now() + days * dayMs + moreMs
      return found<InsideContext>(signingKeyAge, { ...context(), clock: { now: () => now } })
    }
    assert.deepEqual(await at(730, -1), [])
    const line = (days: number) => [[`The key ${set.current.kid} has signed for ${days} days.`]]
    assert.deepEqual([await at(730), await at(900, 1)], [line(730), line(900)])
    const { kid } = await set.rotate({ atOnce: true })
    // The successor is a millisecond younger.
    assert.deepEqual(await at(730, 1), [[`The key ${kid} has signed for 730 days.`]])
  })

  test('passes without a stored key that signs', async () => {
    const { context, db } = await made()
    await db.updateTable('keys').set({ retired_at: 1 }).where('usage', '=', 'signing').execute()
    const old = { ...context(), clock: { now: () => Date.now() * 2 } }
    assert.deepEqual(await found<InsideContext>(signingKeyAge, old), [])
  })
})

suite('the check of published keys', () => {
  const path = '/.well-known/jwks.json'
  const origin = 'https://auth.example.com'
  const outside = (json: unknown, inside: unknown = null, status = 200) => ({
    ...{ origin, inside, clock: { now: () => 4e12 } },
    probe: { get: async () => ({ status, json }) },
  })
  const ask = (...given: Parameters<typeof outside>) =>
    found<OutsideContext>(jwks, outside(...given))

  test('finds an answer that is no set of keys, and private keys', async () => {
    assert.deepEqual(await ask({ keys: [{ kid: 'a' }] }), [])
    const none = (status: number) => [[`${path} answers ${status}, and no set of keys.`]]
    for (const json of [null, undefined, 'keys', {}, { keys: {} }, []]) {
      assert.deepEqual(await ask(json), none(200))
    }
    assert.deepEqual(await ask({ keys: [] }, null, 404), none(404))
    for (const part of ['d', 'p', 'q', 'k']) {
      const keysOf = { keys: [{ kid: 'a' }, null, { [part]: 'x' }] }
      assert.deepEqual(await ask(keysOf), [[`${path} holds private keys.`]])
    }
  })

  test('finds a published set without a key', async () => {
    const line = `${path} has no key: tokens are signed by HS256, or the keys are lost.`
    assert.deepEqual(await ask({ keys: [null, 7] }), [[line, 'info', 'TOKEN_ALGORITHM=RS256']])
  })

  test('finds that a key that signs here is not published', async () => {
    const { context, db, set, clock } = await made({ TOKEN_ALGORITHM: 'RS256', BASE_URL: origin })
    const { kid } = set.current
    const lacks = (id: string) => [[`${path} lacks the key ${id}, which signs.`]]
    const inside = context()
    assert.deepEqual(await ask({ keys: [{ kid: 'other' }] }, inside), lacks(kid))
    assert.deepEqual(await ask({ keys: [{ kid: 'other' }, { kid }] }, inside), [])
    const elsewhere = context({ BASE_URL: 'https://other.example.com' })
    assert.deepEqual(await ask({ keys: [{ kid: 'other' }] }, elsewhere), [])
    const hmac = context({ TOKEN_ALGORITHM: 'HS256' })
    assert.deepEqual(await ask({ keys: [{ kid: 'other' }] }, hmac), [])
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
    const [own] = await ask({ keys: [{ kid }] }, context({ TOKEN_PRIVATE_KEY: pem }))
    assert.match(String(own), /lacks the key [A-Za-z0-9_-]{43}, which signs/)
    const next = await set.rotate()
    const at = (now: number) => ({
      ...outside({ keys: [{ kid: 'x' }] }, inside),
      clock: { now: () => now },
    })
    assert.ok(next.signsFrom)
    assert.deepEqual(await found<OutsideContext>(jwks, at(next.signsFrom)), lacks(next.kid))
    assert.deepEqual(await found<OutsideContext>(jwks, at(clock.now())), [], 'known to none')
    const [newest = assert.fail()] = await keyStore(db).all()
    const more = { algorithm: 'HS256', createdAt: newest.createdAt + 1, signsFrom: null }
    await keyStore(db).insert({ ...newest, ...more, id: 'of another algorithm' })
    assert.deepEqual(await found<OutsideContext>(jwks, at(next.signsFrom)), lacks(next.kid))
  })
})

suite('the check of secrets', () => {
  test('names each weak setting; a master key is turned', async () => {
    const known = '09d25e094faa6ca2556c818166b7a9563b93f7099f6f0f4caa6cf63b88e8d3e7'
    const [token, masterKey] = [{ secret: new Secret(known) }, new Secret(known)]
    const config = { token, masterKey }
    const lines = await found<OfflineContext>(weakSecret, { config })
    assert.deepEqual(lines[0], ['TOKEN_SECRET is publicly known.'])
    assert.equal(lines[1]?.[0], 'MASTER_KEY is publicly known.')
    assert.match(String(lines[1]?.[1]), /^MASTER_KEY_NEXT=.*keys rotate-master$/)
    assert.equal(lines.length, 2)
    assert.deepEqual(await found<OfflineContext>(weakSecret, { config: loadConfig({}) }), [])
  })
})

suite('the check of an unfinished rotation of the master key', () => {
  const turn = (context: unknown) => found<InsideContext>(masterKeyTurn, context)

  test('passes without a next key and without a question', async () => {
    const { context, db } = await made({ MASTER_KEY: hex(one) })
    assert.deepEqual(await turn(context()), [])
    await db.deleteFrom('keys').execute()
    assert.deepEqual(await turn(context({ MASTER_KEY_NEXT: hex(two) })), [])
  })

  test('finds a question of an hour ago that was not done', async () => {
    const { context, db, clock } = await made({ MASTER_KEY: hex(one) })
    const asked = { id: 'a', key_before: 'one', key_next: 'two', asked_at: clock.now() }
    await masterKeyRotationStore(db).ask(asked)
    const line = 'A turn of the master key was asked for at 2026-01-15T12:00:00.000Z, and not done.'
    clock.advance(3599.999)
    assert.deepEqual(await turn(context()), [])
    clock.advance(0.001)
    assert.deepEqual(await turn(context()), [[line]])
    await masterKeyRotationStore(db).done('a', clock.now())
    assert.deepEqual(await turn(context()), [])
  })

  test('finds a next key that was not turned to, or that is the present key', async () => {
    const { context, directory } = await made()
    const next = join(directory, 'master.key.next')
    writeFileSync(next, hex(two), { mode: 0o600 })
    const holds = (name: string) =>
      `${name} holds a next master key (${masterKeyId(two)}), and it was not turned to.`
    assert.deepEqual(await turn(context()), [[holds(next), 'info']])
    const given = context({ MASTER_KEY_NEXT: hex(two) })
    assert.deepEqual(await turn(given), [[holds('MASTER_KEY_NEXT'), 'info']])
  })
})
