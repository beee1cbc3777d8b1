import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import { steppingClock } from '../../../test/clock.ts'
import { loadConfig } from '../../../test/config.ts'
import { place } from '../../../test/keys.ts'
import { seededRandom } from '../../../test/random.ts'
import { masterKeyId } from './master-key.ts'
import { createMasterKeyRotation, type RotateMasterKeyOptions } from './master-key-rotation.ts'
import { masterKeyRotationStore } from './master-key-rotation-store.ts'
import { unsealKey } from './sealed-key.ts'
import { parseMasterKey } from './settings.ts'
import { keyStore } from './store.ts'

const random = seededRandom(5)
type Store = ReturnType<typeof masterKeyRotationStore>

/** Processes by name: whether each knows the next key, from so many milliseconds on. */
type Processes = Readonly<Record<string, number>>

async function made(processes: Processes = {}, meanwhile?: (store: Store) => Promise<void>) {
  const { directory, file, db, clock, load, rows } = await place()
  await load()
  const start = clock.now()
  const stepping = steppingClock(clock)
  const emitted: unknown[] = []
  const rotated: unknown[] = []
  const store = masterKeyRotationStore(db)
  const answering = {
    now: clock.now,
    async wait(milliseconds: number) {
      await stepping.wait(milliseconds)
      await meanwhile?.(store)
      const { id = '' } = (await store.last()) ?? {}
      for (const [instance, from] of Object.entries(processes)) {
        await store.answer(id, { instance, knows: clock.now() - start >= from }, clock.now())
      }
    },
  }
  const rotate = (
    options: Partial<RotateMasterKeyOptions> = {},
    env: Record<string, string> = {},
    onRotated = async () => void rotated.push(clock.now() - start),
  ) =>
    createMasterKeyRotation({
      ...{ db, clock: answering, random, onRotated },
      config: loadConfig({ DATA_DIR: directory, ...env }),
      events: {
        async emitInTransaction(_: unknown, type: { name: string }, payload: object) {
          emitted.push([type.name, payload])
        },
      } as never,
    }).rotate({ waitMs: 0, ...options })
  const keyIn = (path: string) => parseMasterKey(readFileSync(path, 'utf8').trim())
  const openedBy = async (masterKey: Uint8Array) =>
    (await keyStore(db).all()).every((key) => unsealKey(masterKey, key).length > 0)
  const next = `${file}.next`
  return { file, next, clock, start, store, rows, rotate, emitted, rotated, keyIn, openedBy }
}

suite('a rotation of the master key', () => {
  test('makes a next key, seals all keys under it, and puts it in place', async () => {
    const { file, next, clock, start, store, rotate, emitted, rotated, keyIn, openedBy } =
      await made({ a: 0, b: 2000 })
    const before = masterKeyId(keyIn(file))
    const found = await rotate()
    const after = keyIn(file)
    const answers = ['a', 'b'].map((instance) => ({ instance, knows: true }))
    const names = { before, next: masterKeyId(after) }
    assert.deepEqual(found, { state: 'turned', ...names, answers, isInPlace: true })
    assert.notEqual(names.before, names.next)
    assert.deepEqual([existsSync(next), await openedBy(after)], [false, true])
    assert.equal(clock.now() - start, 3000, 'every process has three seconds to answer')
    assert.deepEqual(rotated, [3000])
    assert.deepEqual(emitted, [['master_key_rotated', { before, key: names.next }]])
    assert.equal((await store.last())?.turned_at, clock.now())
  })

  test('waits no longer than three seconds where every process knows the key', async () => {
    const { clock, start, rotate } = await made({ a: 0 })
    assert.equal((await rotate({ waitMs: 60_000 })).state, 'turned')
    assert.equal(clock.now() - start, 3000)
  })

  test('makes no key in place of a missing file', async () => {
    const { file, rotate, rows } = await made()
    const stored = await rows()
    rmSync(file)
    await assert.rejects(rotate(), /master\.key cannot be read/)
    assert.deepEqual([existsSync(file), await rows()], [false, stored])
  })

  test('waits for a process that does not know the key yet, and then is refused', async () => {
    const { file, next, clock, start, store, rows, rotate, emitted, keyIn } = await made({
      ...{ a: 0, b: 5000 },
    })
    const [stored, key] = [await rows(), keyIn(file)]
    const message = 'these processes do not know the next key: b'
    await assert.rejects(rotate({ waitMs: 4000 }), { message })
    assert.equal(clock.now() - start, 4000)
    assert.deepEqual([await rows(), keyIn(file), emitted], [stored, key, []])
    assert.equal(await store.last(), undefined, 'the question is given up')
    const made1 = keyIn(next)
    assert.equal((await rotate({ waitMs: 4000 })).state, 'turned')
    assert.deepEqual(keyIn(file), made1, 'the next key of before')
  })

  test('is refused with fewer answers than are expected', async () => {
    const { rows, rotate, store } = await made({ a: 0 })
    const stored = await rows()
    const message = '1 processes answered, 2 were expected'
    await assert.rejects(rotate({ minProcesses: 2 }), { message })
    assert.deepEqual([await rows(), await store.last()], [stored, undefined])
    assert.equal((await rotate({ minProcesses: 1 })).state, 'turned')
  })

  test('that only asks changes nothing', async () => {
    const { file, next, rows, rotate, store, keyIn } = await made({ a: 0, b: 1e9 })
    await assert.rejects(rotate({ asksOnly: true }), /^Error: there is no next key yet/)
    assert.equal(existsSync(next), false)
    writeFileSync(next, Buffer.from(random.bytes(32)).toString('hex'), { mode: 0o600 })
    const stored = await rows()
    const found = await rotate({ asksOnly: true })
    assert.deepEqual(found, {
      ...{ state: 'asked', before: masterKeyId(keyIn(file)), next: masterKeyId(keyIn(next)) },
      answers: [
        { instance: 'a', knows: true },
        { instance: 'b', knows: false },
      ],
      isInPlace: false,
    })
    assert.deepEqual([await rows(), await store.last()], [stored, undefined])
  })

  test('that only asks leaves no question, also where every process knows the key', async () => {
    const { next, rows, rotate, store } = await made({ a: 0 })
    writeFileSync(next, Buffer.from(random.bytes(32)).toString('hex'), { mode: 0o600 })
    const stored = await rows()
    assert.equal((await rotate({ asksOnly: true })).state, 'asked')
    assert.deepEqual([await rows(), await store.last()], [stored, undefined])
  })

  test('finishes what a killed command has left', async () => {
    const { file, next, rotate, keyIn, emitted } = await made()
    const old = readFileSync(file)
    await rotate()
    writeFileSync(next, readFileSync(file), { mode: 0o600 })
    writeFileSync(file, old)
    const [before, key] = [masterKeyId(keyIn(file)), keyIn(next)]
    const found = await rotate()
    const finished = { state: 'finished', before, next: masterKeyId(key), answers: [] }
    assert.deepEqual(found, { ...finished, isInPlace: true })
    assert.deepEqual([keyIn(file), existsSync(next), emitted.length], [key, false, 1])
  })

  test('refuses a key that was in use before', async () => {
    const { file, next, rotate, rows } = await made()
    const old = readFileSync(file)
    await rotate()
    writeFileSync(next, old, { mode: 0o600 })
    const stored = await rows()
    const message = 'the next key was in use before: make a new one'
    await assert.rejects(rotate(), { message })
    assert.deepEqual(await rows(), stored)
  })

  test('takes the keys of the settings, and leaves their place to the operator', async () => {
    const { file, next, rotate, keyIn, openedBy } = await made()
    const [present, other] = [keyIn(file), random.bytes(32)]
    const hex = (key: Uint8Array) => Buffer.from(key).toString('hex')
    const env = { MASTER_KEY: hex(present) }
    await assert.rejects(rotate({}, env), /^Error: there is no next key: write it to/)
    const found = await rotate({}, { ...env, MASTER_KEY_NEXT: hex(other) })
    assert.deepEqual([found.state, found.isInPlace], ['turned', false])
    assert.deepEqual([await openedBy(other), keyIn(file), existsSync(next)], [true, present, false])
    const again = await rotate({}, { ...env, MASTER_KEY_NEXT: hex(other) })
    assert.deepEqual([again.state, again.isInPlace], ['finished', false])
  })

  test('is given up with an unusable file, and after an error of its transaction', async () => {
    const { next, rotate, rows, store } = await made()
    const stored = await rows()
    writeFileSync(next, 'no key', { mode: 0o600 })
    await assert.rejects(rotate(), /^Error: .*master\.key\.next must be 32 bytes/)
    writeFileSync(next, '')
    const failing = () => Promise.reject(new Error('another module'))
    const file = Buffer.from(random.bytes(32)).toString('hex')
    writeFileSync(next, file)
    await assert.rejects(rotate({}, {}, failing), /another module/)
    assert.deepEqual([await rows(), await store.last()], [stored, undefined])
    assert.equal(readFileSync(next, 'utf8'), file)
  })

  test('ends if another command has asked in between', async () => {
    const question = { id: 'b', key_before: 'x', key_next: 'y', asked_at: 4e12 }
    const { rotate, rows, store } = await made({}, (rotations) => rotations.ask(question))
    const stored = await rows()
    const message = 'another command has begun to turn the master key'
    await assert.rejects(rotate(), { message })
    assert.deepEqual([await rows(), (await store.last())?.id], [stored, 'b'])
  })
})
