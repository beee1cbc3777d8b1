import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { loadConfig } from '../../../test/config.ts'
import { place } from '../../../test/keys.ts'
import { seededRandom } from '../../../test/random.ts'
import { KeySetNotOpened } from '../../core/database/key-set-not-opened.ts'
import { isoTime } from '../../core/lib/clock.ts'
import { masterKeyId } from './master-key.ts'
import { masterKeyRotationStore } from './master-key-rotation-store.ts'
import { createMasterRing } from './master-ring.ts'
import { sealKey } from './sealed-key.ts'
import { keyStore } from './store.ts'

const random = seededRandom(3)
const [one, two] = [random.bytes(32), random.bytes(32)]
const hex = (key: Uint8Array) => Buffer.from(key).toString('hex')
/** Each use of the keys reads the database. */
const feed = { isCurrent: () => false, version: () => 1 }

/** A running key set under the master key `one`, in a file of the settings. */
async function made() {
  const { directory, db, clock, load } = await place()
  const present = join(directory, 'given')
  writeFileSync(present, hex(one), { mode: 0o600 })
  const env = { MASTER_KEY_FILE: present }
  const keys = await load(env, db, undefined, { feed })
  const config = loadConfig({ DATA_DIR: directory, ...env })
  const ring = createMasterRing({ config, random, mayCreate: false })
  const store = masterKeyRotationStore(db)
  /** What the command of another node does. */
  async function rotateElsewhere(): Promise<void> {
    for (const key of await keyStore(db).all()) {
      await store.seal(key.id, sealKey(random, two, key, ring.open(key)))
    }
  }
  const refusal = async () => {
    const error: unknown = await keys.refresh().catch((caught) => caught)
    assert.ok(error instanceof KeySetNotOpened)
    return error.message
  }
  return { clock, keys, store, rotateElsewhere, refusal, next: `${present}.next` }
}

suite('a running key set whose master key another process has rotated', () => {
  test('verifies and signs nothing until it has the next key', async () => {
    const { keys, rotateElsewhere, refusal, next } = await made()
    const { kid } = keys.current
    const dataKey = Buffer.from(keys.dataKey)
    const { generation } = keys
    await keys.refresh()
    assert.equal(keys.generation, generation, 'nothing has changed')
    assert.equal(await keys.find(kid), keys.current)

    await rotateElsewhere()
    const closed = 'the master key does not open the key set in the database'
    assert.equal(await refusal(), `${closed} (this process knows ${masterKeyId(one)})`)
    assert.notEqual(keys.generation, generation, 'tokens that were verified are verified again')
    for (const name of [kid, undefined, 'another']) {
      assert.throws(() => keys.find(name), KeySetNotOpened)
    }
    await assert.rejects(keys.signer('signing'), KeySetNotOpened)

    const whileClosed = keys.generation
    writeFileSync(next, hex(two), { mode: 0o600 })
    await keys.refresh()
    assert.equal((await keys.find(kid))?.kid, kid)
    assert.equal((await keys.signer('signing')).kid, kid)
    assert.deepEqual(Buffer.from(keys.dataKey), dataKey)
    assert.notEqual(keys.generation, whileClosed)
  })

  test('says to which key it was rotated, and when', async () => {
    const { clock, store, rotateElsewhere, refusal } = await made()
    const names = { key_before: masterKeyId(one), key_next: masterKeyId(two) }
    await rotateElsewhere()
    await store.ask({ id: 'a', ...names, asked_at: clock.now() })
    const known = `this process knows ${masterKeyId(one)}`
    const closed = 'the master key does not open the key set in the database'
    assert.equal(await refusal(), `${closed} (${known})`, 'nothing is rotated')
    await store.done('a', clock.now() + 7)
    const at = isoTime(clock.now() + 7)
    const turned = `it was turned to ${masterKeyId(two)} at ${at}`
    assert.equal(await refusal(), `${closed}: ${turned}, and ${known}`)
  })

  test('has other keys of the audit log after the rotateElsewhere, of the same data', async () => {
    const { keys, rotateElsewhere, next } = await made()
    const before = keys.audit
    writeFileSync(next, hex(two), { mode: 0o600 })
    await rotateElsewhere()
    await keys.refresh()
    assert.deepEqual(Buffer.from(keys.audit.chain), Buffer.from(before.chain))
    assert.notDeepEqual(Buffer.from(keys.audit.checkpointSeed), Buffer.from(before.checkpointSeed))
  })
})
