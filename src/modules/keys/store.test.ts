// A database makes a difference: each compiles its own text.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, suite, test } from 'node:test'
import { fixedClock } from '../../../test/clock.ts'
import { loadConfig } from '../../../test/config.ts'
import { connectTo, leaveDatabase } from '../../../test/database.ts'
import { seededRandom } from '../../../test/random.ts'
import { migrate } from '../../core/database/migrate.ts'
import { readAuditKeys } from './audit-keys.ts'
import {
  asSealedKey,
  type ExportedKey,
  exportKeys,
  importKeys,
  newDataKey,
  signingKeyInPlaceOf,
} from './key-export.ts'
import { rsaBitsOf } from './signing-key.ts'
import { type KeyPurpose, keyStore, type SealedKey, storedPurpose } from './store.ts'

const clock = fixedClock()
const random = seededRandom(1)
suite('the store of keys', async () => {
  const { db, directory } = await connectTo()
  after(async () => {
    await db.destroy()
    await leaveDatabase(directory)
    rmSync(directory, { recursive: true })
  })
  await migrate(db, clock)
  const store = keyStore(db)
  const clear = () => db.deleteFrom('keys').execute()

  const purposes = ['signing', 'refresh', 'identity', 'data'] as const
  const key = (id: string, more: Partial<SealedKey> = {}): SealedKey => ({
    ...{ id, purpose: 'signing', algorithm: 'HS256', sealed: `sealed ${id}`, createdAt: 100 },
    ...{ retiredAt: null, signsFrom: null, isOlder: false, ...more },
  })

  suite('stored keys', () => {
    test('are read as they were written, newest first', async () => {
      await clear()
      const keys = [
        ...purposes.map((purpose) => key(purpose, { purpose, createdAt: 200 })),
        ...purposes.map((purpose) => key(`ends ${purpose}`, { purpose, retiredAt: 900 })),
        key('from', { createdAt: 300, signsFrom: 400 }),
        key('older', { createdAt: 50, isOlder: true }),
        key('older data', { createdAt: 40, isOlder: true, purpose: 'data' }),
      ]
      for (const one of keys) await store.insert(one)
      const ids = (all: readonly SealedKey[]) => all.map(({ id }) => id)
      const inOrder = keys.toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1))
      const read = await store.all()
      assert.deepEqual(read, inOrder)
      assert.equal(ids(read)[0], 'from')
    })

    test('a refresh key and an identity key look retired to versions that do not know them', async () => {
      await clear()
      for (const purpose of purposes) await store.insert(key(purpose, { purpose }))
      const rows = await db.selectFrom('keys').selectAll().orderBy('id').execute()
      assert.deepEqual(
        rows.map(({ usage, purpose, retired_at }) => [usage, purpose, retired_at]),
        [
          ['data', 'data', null],
          ['identity', 'data', 8_640_000_000_000_000 - 1],
          ['refresh', 'signing', 8_640_000_000_000_000],
          ['signing', 'signing', null],
        ],
      )
      for (const { purpose, usage } of rows) {
        assert.equal(storedPurpose(usage as KeyPurpose), purpose)
      }
    })

    test('the named keys are retired, and no other', async () => {
      await clear()
      for (const id of ['a', 'b', 'c']) await store.insert(key(id))
      await store.retire([], 800)
      await store.retire(['a', 'c'], 900)
      const found = (await store.all()).map(({ id, retiredAt }) => [id, retiredAt])
      assert.deepEqual(found, [
        ['a', 900],
        ['b', null],
        ['c', 900],
      ])
    })

    test('a key of tokens ends at once, if it still verifies', async () => {
      await clear()
      for (const purpose of purposes) await store.insert(key(purpose, { purpose }))
      await store.insert(key('later', { retiredAt: 901 }))
      await store.insert(key('ended', { retiredAt: 900 }))
      const ids = [...purposes, 'later', 'ended', 'unknown']
      const ends = []
      for (const id of ids) ends.push(await store.end(id, 900))
      assert.deepEqual(ends, [true, true, true, false, true, false, false])
      for (const { id, retiredAt } of await store.all()) {
        assert.equal(retiredAt, id === 'data' ? null : 900, id)
      }
    })
  })

  suite('exported keys', () => {
    const config = loadConfig({
      DATA_DIR: directory,
      MASTER_KEY: `${'0123456789abcdef'.repeat(3)}fedcba9876543210`,
    })
    const deps = { config, random, clock }
    const exported = (id: string, more: Partial<ExportedKey> = {}): ExportedKey => {
      const { sealed: _, ...rest } = key(id)
      return { ...rest, material: Buffer.alloc(32, id).toString('base64url'), ...more }
    }

    test('are opened, and sealed again under the master key', async () => {
      await clear()
      const keys = [
        exported('d', { purpose: 'data', algorithm: 'A256GCM', createdAt: 300 }),
        exported('s', { createdAt: 200, signsFrom: 250, retiredAt: 900 }),
      ]
      await importKeys(db, deps, keys)
      assert.deepEqual(await exportKeys(db, deps), keys)
      const material = keys.map((one) => one.material)
      for (const { sealed } of await store.all()) assert.ok(!material.includes(sealed))
      const other = loadConfig({
        DATA_DIR: directory,
        MASTER_KEY: `${'0123456789abcdef'.repeat(3)}fedcba9876543211`,
      })
      await assert.rejects(exportKeys(db, { config: other, random }), /does not open the key set/)
    })

    test('the audit log has keys of the newest data key that is in use', async () => {
      await clear()
      const data = (id: string, more: Partial<ExportedKey>) =>
        exported(id, { purpose: 'data', algorithm: 'A256GCM', ...more })
      await importKeys(db, deps, [exported('s', { createdAt: 900 })])
      await assert.rejects(readAuditKeys(db, deps), /has no key of stored secrets/)
      await importKeys(db, deps, [
        ...[data('a', { createdAt: 300, retiredAt: 400 }), data('b', { createdAt: 200 })],
        data('c', { createdAt: 100 }),
      ])
      const keys = await readAuditKeys(db, deps)
      assert.deepEqual(Buffer.from(keys.data), Buffer.alloc(32, 'b'))
      const all = Object.values(keys).map((bytes) => Buffer.from(bytes).toString('hex'))
      assert.deepEqual(
        [new Set(all).size, ...all.map(({ length }) => length)],
        [5, ...Array.from({ length: 5 }, () => 64)],
      )
    })

    test('of version 0.2.0 lack two fields', () => {
      const { signsFrom: _, isOlder: __, ...old } = exported('a')
      const { sealed: ___, ...expected } = key('a', { isOlder: true })
      assert.deepEqual(asSealedKey(old), expected)
      const given = exported('a', { signsFrom: 7, isOlder: false })
      assert.deepEqual([asSealedKey(given).signsFrom, asSealedKey(given).isOlder], [7, false])
    })

    test('a new data key has 256 random bits', () => {
      const [one, other] = [newDataKey(deps), newDataKey(deps)]
      const { id, material, ...rest } = one
      const { id: _, sealed: __, ...expected } = key('', { purpose: 'data', algorithm: 'A256GCM' })
      assert.deepEqual(rest, { ...expected, createdAt: clock.now() })
      assert.equal(Buffer.from(material, 'base64url').length, 32)
      assert.notEqual(material, other.material)
      assert.notEqual(id, other.id)
    })

    test('a signing key in place of others is as long as the longest of its kind', async () => {
      const bits = async (left: readonly ExportedKey[], rsaBits: string) => {
        const given = { ...deps, config: loadConfig({ TOKEN_RSA_BITS: rsaBits }) }
        const made = await signingKeyInPlaceOf(left, 'RS256', given)
        const { id: _, material, ...rest } = made
        const { id: __, sealed: ___, ...expected } = key('', { algorithm: 'RS256' })
        assert.deepEqual(rest, { ...expected, createdAt: clock.now() })
        return [rsaBitsOf(Buffer.from(material, 'base64url')), made] as const
      }
      const [first, long] = await bits([], '2304')
      assert.equal(first, 2304)
      assert.equal((await bits([exported('h'), long], '2048'))[0], 2304)
      assert.equal((await bits([{ ...long, purpose: 'identity' }], '2048'))[0], 2048)
      const hmac = await signingKeyInPlaceOf([long], 'HS256', deps)
      assert.deepEqual(
        [hmac.algorithm, hmac.purpose, Buffer.from(hmac.material, 'base64url').length],
        ['HS256', 'signing', 32],
      )
    })
  })
})
