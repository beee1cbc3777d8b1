import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { place } from '../../../test/keys.ts'
import { KeySetNotOpened } from '../../core/database/key-set-not-opened.ts'
import { createMasterKeyRotationAnswers } from './master-key-rotation-answers.ts'
import { masterKeyRotationStore } from './master-key-rotation-store.ts'

/** A process whose files, keys and feed a test changes; its log as pairs of level and text. */
async function made() {
  const { db, clock } = await place()
  const state = {
    ...{ ids: ['one'], mistakes: [] as string[], files: 'a', isOther: false, version: 1 },
    ...{ isCurrent: true, refused: undefined as Error | undefined, reads: 0, draws: 0 },
  }
  const log: [level: string, text: unknown][] = []
  const line = (level: string) => (given: unknown, text?: string) =>
    log.push([level, text ?? given])
  const ring = {
    ids: () => state.ids,
    mistakes: () => state.mistakes,
    version: async () => state.files,
    reread() {
      state.reads += 1
      return state.isOther
    },
  }
  const answers = createMasterKeyRotationAnswers({
    ...{ db, clock, random: { bytes: (length: number) => new Uint8Array(length) } },
    feed: { isCurrent: () => state.isCurrent, version: () => state.version },
    keys: {
      ring,
      async refresh() {
        if (state.refused) throw state.refused
      },
    },
    log: { warn: line('warn'), info: line('info'), error: line('error') },
  } as unknown as Parameters<typeof createMasterKeyRotationAnswers>[0])
  const store = masterKeyRotationStore(db)
  const ask = (id: string) =>
    store.ask({ id, key_before: 'one', key_next: 'two', asked_at: clock.now() })
  return { clock, state, log, answers, store, ask }
}

suite('the answers of a process to a rotation of the master key', () => {
  test('files are read at the first look, and when they change', async () => {
    const { state, answers } = await made()
    for (let looks = 0; looks < 2; looks += 1) await answers.follow()
    assert.equal(state.reads, 1)
    state.files = 'b'
    for (let looks = 0; looks < 2; looks += 1) await answers.follow()
    assert.equal(state.reads, 2)
    await answers.reread()
    assert.equal(state.reads, 3)
  })

  test('other keys and unusable files are logged', async () => {
    const { state, answers, log } = await made()
    await answers.follow()
    assert.deepEqual(log, [])
    Object.assign(state, { isOther: true, mistakes: ['the file is empty'] })
    await answers.reread()
    assert.deepEqual(log, [
      ['warn', 'the file is empty: it is not used'],
      ['info', 'the files of the master key were read anew'],
    ])
  })

  test('a question is answered once, and again when the answer changes', async () => {
    const { state, answers, store, ask, clock } = await made()
    await ask('a')
    await answers.follow()
    const [first, ...others] = await store.answers('a')
    assert.deepEqual([first?.knows, others], [false, []])
    assert.match(first?.instance ?? '', /^.+\/\d+\/AAAA$/)
    state.ids = ['one', 'two']
    clock.advance(1)
    await answers.follow()
    assert.deepEqual(
      (await store.answers('a')).map(({ knows }) => knows),
      [true],
    )
    await store.done('a', clock.now())
    state.version += 1
    state.ids = ['two']
    await answers.follow()
    await ask('b')
    await answers.follow()
    assert.deepEqual(await store.answers('b'), [], 'not seen without a change of the database')
    state.isCurrent = false
    await answers.follow()
    assert.equal((await store.answers('b')).length, 1)
  })

  test('keys that do not open are logged each minute, and their recovery', async () => {
    const { state, answers, log, clock, store, ask } = await made()
    const line = ['error', 'the key set does not open: give this node the next key']
    state.refused = new KeySetNotOpened('closed')
    await ask('a')
    await answers.follow()
    clock.advance(59.999)
    await answers.follow()
    assert.deepEqual(log, [line])
    assert.equal((await store.answers('a')).length, 1, 'it answers all the same')
    clock.advance(0.001)
    await answers.follow()
    assert.deepEqual(log, [line, line])
    state.refused = undefined
    for (let looks = 0; looks < 2; looks += 1) await answers.follow()
    assert.deepEqual(log.slice(2), [['info', 'the key set opens again']])
    state.refused = new KeySetNotOpened('closed')
    await answers.follow()
    assert.equal(log.length, 4, 'at once after a recovery')
    state.refused = new Error('the database is away')
    await assert.rejects(answers.follow(), /the database is away/)
  })
})
