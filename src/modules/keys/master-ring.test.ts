import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, suite, test } from 'node:test'
import { loadConfig } from '../../../test/config.ts'
import { seededRandom } from '../../../test/random.ts'
import { makeNextOwnFile, masterKeyId, readMasterKeys } from './master-key.ts'
import { createMasterRing } from './master-ring.ts'
import { opens, sealKey, unsealKey } from './sealed-key.ts'
import type { SealedKey } from './store.ts'

const random = seededRandom(1)
const [one, two, three] = [random.bytes(32), random.bytes(32), random.bytes(32)]
const ids = [one, two, three].map(masterKeyId)
const hex = (key: Uint8Array) => Buffer.from(key).toString('hex')
const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

/** A folder for the files of master keys. */
function place() {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  folders.push(directory)
  const pathOf = (name: string) => join(directory, name)
  const write = (name: string, text: string, mode = 0o600) => {
    writeFileSync(pathOf(name), text, { mode })
    chmodSync(pathOf(name), mode)
  }
  const options = (env: Record<string, string> = {}) => ({
    ...{ config: loadConfig({ DATA_DIR: directory, ...env }), random, mayCreate: false },
  })
  const read = (env?: Record<string, string>) => {
    const { keys, mistakes } = readMasterKeys(options(env))
    return [keys.map(masterKeyId), mistakes]
  }
  return { pathOf, write, options, read }
}

function sealed(masterKey: Uint8Array, id = 'k'): SealedKey {
  const key = {
    ...{ id, purpose: 'signing' as const, algorithm: 'HS256', createdAt: 0, retiredAt: null },
    ...{ signsFrom: null, isOlder: false },
  }
  return { ...key, sealed: sealKey(random, masterKey, key, Buffer.from('material')) }
}

suite('the known master keys', () => {
  test('come from the settings, the present one first', () => {
    const { read } = place()
    assert.deepEqual(read({ MASTER_KEY: hex(one) }), [[ids[0]], []])
    const both = { MASTER_KEY: hex(one), MASTER_KEY_NEXT: hex(two) }
    assert.deepEqual(read(both), [ids.slice(0, 2), []])
    assert.deepEqual(read({ ...both, MASTER_KEY_NEXT: hex(one) }), [[ids[0]], []])
  })

  test('come from the own files, where no setting names a key', () => {
    const { read, write } = place()
    write('master.key', `${hex(one)}\n`)
    assert.deepEqual(read(), [[ids[0]], []])
    write('master.key.next', ' \n')
    assert.deepEqual(read(), [[ids[0]], []], 'an empty file names none')
    write('master.key.next', `${hex(two)}\n`)
    assert.deepEqual(read(), [ids.slice(0, 2), []])
    assert.deepEqual(read({ MASTER_KEY: hex(three) }), [[ids[2]], []])
    assert.deepEqual(read({ MASTER_KEY_NEXT: hex(three) }), [[ids[0], ids[2]], []])
  })

  test('an own next file that is unsafe or no key is not used, and named', () => {
    const { read, write, pathOf } = place()
    const path = pathOf('master.key.next')
    write('master.key', hex(one))
    write('master.key.next', hex(two), 0o640)
    const open = `${path} ${path} can be read by other users: chmod 600 it, and consider it known`
    assert.deepEqual(read(), [[ids[0]], [open]])
    write('master.key.next', 'no key')
    const [keys, mistakes] = read()
    assert.deepEqual(keys, [ids[0]])
    assert.match(String(mistakes), /master\.key\.next must be 32 bytes/)
  })

  test('files of the settings are read anew; without the first, the key of the start stays', () => {
    const { read, write, pathOf } = place()
    const [present, next] = [pathOf('given'), pathOf('given.next')]
    write('given', hex(one))
    const env = { MASTER_KEY_FILE: present }
    assert.deepEqual(read(env), [[ids[0]], []], 'there is no next key')
    write('given.next', hex(two), 0o644)
    assert.deepEqual(read(env), [ids.slice(0, 2), []])
    write('other', hex(three))
    const named = { ...env, MASTER_KEY_NEXT_FILE: pathOf('other') }
    assert.deepEqual(read(named), [[ids[0], ids[2]], []])
    write('given.next', 'no key')
    assert.match(String(read(env)[1]), /^MASTER_KEY_NEXT_FILE must be 32 bytes/)
    rmSync(next)

    const start = { config: loadConfig({ ...env }), random, mayCreate: false }
    write('given', hex(two))
    assert.deepEqual(readMasterKeys(start).keys.map(masterKeyId), [ids[1]])
    for (const [text, mistake] of [
      ['', `MASTER_KEY_FILE is not there or empty: ${present}`],
      ['no key', /^MASTER_KEY_FILE must be 32 bytes/],
    ] as const) {
      write('given', text)
      const { keys, mistakes } = readMasterKeys(start)
      assert.deepEqual(keys.map(masterKeyId), [ids[0]])
      if (typeof mistake === 'string') assert.deepEqual(mistakes, [mistake])
      else assert.match(String(mistakes), mistake)
    }
  })

  test('a next key is made once, for its owner alone', () => {
    const { options, pathOf } = place()
    makeNextOwnFile(options().config, random)
    const text = readFileSync(pathOf('master.key.next'), 'utf8')
    makeNextOwnFile(options().config, random)
    assert.equal(readFileSync(pathOf('master.key.next'), 'utf8'), text)
    assert.match(text, /^[A-Za-z0-9_-]{43}\n$/)
    assert.equal(statSync(pathOf('master.key.next')).mode & 0o777, 0o600)
  })

  test('the short name of a key is its own, and shows nothing of the key', () => {
    assert.equal(new Set(ids).size, 3)
    for (const id of ids) assert.match(String(id), /^[A-Za-z0-9_-]{12}$/)
  })
})

suite('a ring of master keys', () => {
  test('opens a row with the key that sealed it, and with no other', () => {
    const { options } = place()
    const ring = createMasterRing(options({ MASTER_KEY: hex(one), MASTER_KEY_NEXT: hex(two) }))
    assert.deepEqual(ring.ids(), ids.slice(0, 2))
    for (const key of [one, two]) {
      assert.equal(Buffer.from(ring.open(sealed(key))).toString(), 'material')
    }
    const message = 'the master key does not open the key set in the database'
    assert.throws(() => ring.open(sealed(three)), { message })
    assert.throws(() => ring.open({ ...sealed(one), id: 'other' }), { message })
    assert.deepEqual([opens(one, sealed(one)), opens(two, sealed(one))], [true, false])
    assert.throws(() => unsealKey(two, sealed(one)))
  })

  test('seals with the key of the newest row; without rows, with the present key', () => {
    const { options } = place()
    const ring = createMasterRing(options({ MASTER_KEY: hex(one), MASTER_KEY_NEXT: hex(two) }))
    const sealing = (...keys: SealedKey[]) => masterKeyId(ring.sealing(keys))
    assert.equal(sealing(), ids[0])
    assert.equal(sealing(sealed(two), sealed(one)), ids[1])
    assert.equal(sealing(sealed(one), sealed(two)), ids[0])
    assert.throws(() => sealing(sealed(three), sealed(one)), /does not open the key set/)
  })

  test('the key in use stays known until another opens the rows', () => {
    const { options, write } = place()
    write('master.key', hex(one))
    const ring = createMasterRing(options())
    assert.equal(ring.reread(), false)
    ring.sealing([sealed(one)])
    write('master.key', hex(two))
    assert.equal(ring.reread(), true)
    assert.deepEqual(ring.ids(), [ids[1], ids[0]])
    assert.equal(Buffer.from(ring.open(sealed(one))).toString(), 'material')
    ring.sealing([sealed(two)])
    assert.deepEqual([ring.ids(), ring.reread()], [[ids[1]], false])
  })

  test('a file that cannot be used leaves the keys, and is named', () => {
    const { options, write, pathOf } = place()
    write('master.key', hex(one))
    const ring = createMasterRing(options())
    assert.deepEqual(ring.mistakes(), [])
    rmSync(pathOf('master.key'))
    assert.equal(ring.reread(), false)
    assert.deepEqual(ring.ids(), [ids[0]])
    assert.match(String(ring.mistakes()), /master\.key cannot be read/)
    write('master.key', hex(one))
    ring.reread()
    assert.deepEqual(ring.mistakes(), [])
  })

  test('its version changes with each of its files', async () => {
    const { options, write, pathOf } = place()
    write('master.key', hex(one))
    const own = createMasterRing(options())
    const before = await own.version()
    assert.equal(await own.version(), before)
    write('master.key.next', hex(two))
    assert.notEqual(await own.version(), before)

    write('given', hex(one))
    const given = createMasterRing(options({ MASTER_KEY_FILE: pathOf('given') }))
    const versions = [await given.version()]
    write('given.next', hex(two))
    versions.push(await given.version())
    rmSync(pathOf('given'))
    versions.push(await given.version())
    assert.equal(new Set(versions).size, 3)
  })
})
