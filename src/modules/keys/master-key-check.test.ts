import assert from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { loadConfig } from '../../../test/config.ts'
import { place } from '../../../test/keys.ts'
import { seededRandom } from '../../../test/random.ts'
import type { InsideContext } from '../../core/checks/context.ts'
import { masterKeyId } from './master-key.ts'
import { masterKeyTurn } from './master-key-check.ts'

const random = seededRandom(7)
const [one, two, three] = [random.bytes(32), random.bytes(32), random.bytes(32)]
const hex = (key: Uint8Array) => Buffer.from(key).toString('hex')

/** What the check finds on a key set that `one` seals, with the settings that a service has now. */
async function made() {
  const { directory, db, clock, load } = await place()
  await load({ MASTER_KEY: hex(one) })
  const write = (name: string, key: Uint8Array) => {
    const path = join(directory, name)
    writeFileSync(path, `${hex(key)}\n`, { mode: 0o600 })
    return path
  }
  const find = async (env: Record<string, string> = {}) => {
    const context = { db, clock, config: loadConfig({ DATA_DIR: directory, ...env }) }
    const found = await masterKeyTurn.find(context as unknown as InsideContext)
    return found.map(({ what, level, mend }) => [what.en, level, mend?.do?.en, mend?.setting])
  }
  return { directory, write, find }
}

const turned = (before: string, next: string) =>
  `The master key was turned, and ${before} still holds that of before: ${next} alone opens the keys.`
const holds = (name: string) =>
  `${name} holds the present master key: no next turn begins beside it.`

suite('the check of the master key after its rotation', () => {
  test('finds settings that still name the key before', async () => {
    const { find } = await made()
    const env = { MASTER_KEY: hex(two), MASTER_KEY_NEXT: hex(one) }
    const remedy =
      'Give the value of MASTER_KEY_NEXT to MASTER_KEY on every node, and take MASTER_KEY_NEXT away.'
    const line = [turned('MASTER_KEY', 'MASTER_KEY_NEXT'), undefined, remedy, 'MASTER_KEY_NEXT=']
    assert.deepEqual(await find(env), [line])
  })

  test('does not take a next key that opens nothing for the key that was turned to', async () => {
    const { find } = await made()
    const id = masterKeyId(three)
    const what = `MASTER_KEY_NEXT holds a next master key (${id}), and it was not turned to.`
    const env = { MASTER_KEY: hex(two), MASTER_KEY_NEXT: hex(three) }
    assert.deepEqual(await find(env), [[what, 'info', undefined, undefined]])
  })

  test('makes no key in place of a missing file', async () => {
    const { directory, find } = await made()
    await assert.rejects(find(), /master\.key cannot be read/)
    const files = readdirSync(directory).filter((name) => name.startsWith('master'))
    assert.deepEqual(files, [])
  })

  test('finds files of the settings that are not in place', async () => {
    const { write, find } = await made()
    const [present, next] = [write('given', two), write('given.next', one)]
    const remedy = 'Make it the present key, on every node.'
    const line = [turned(present, next), undefined, remedy, `mv ${next} ${present}`]
    assert.deepEqual(await find({ MASTER_KEY_FILE: present }), [line])
  })

  test('finds own files that are not in place: the command finishes', async () => {
    const { write, find } = await made()
    const [present, next] = [write('master.key', two), write('master.key.next', one)]
    assert.deepEqual(await find(), [[turned(present, next), undefined, undefined, undefined]])
  })

  test('finds a next key that is the present key', async () => {
    const { write, find } = await made()
    const remedy = 'Take it away, on every node.'
    const env = { MASTER_KEY: hex(one), MASTER_KEY_NEXT: hex(one) }
    const ofSetting = [holds('MASTER_KEY_NEXT'), 'info', remedy, 'MASTER_KEY_NEXT=']
    assert.deepEqual(await find(env), [ofSetting])
    write('master.key', one)
    const next = write('master.key.next', one)
    assert.deepEqual(await find(), [[holds(next), 'info', remedy, `rm ${next}`]])
    const given = write('given', one)
    const named = { MASTER_KEY: hex(one), MASTER_KEY_NEXT_FILE: given }
    assert.deepEqual(await find(named), [[holds(given), 'info', remedy, `rm ${given}`]])
  })
})
