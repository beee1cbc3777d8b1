// A database makes a difference: each compiles its own text.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ownDatabase } from '../../../test/own-database.ts'
import { masterKeyRotationStore } from './master-key-rotation-store.ts'
import { keyStore } from './store.ts'

suite('the store of rotations of the master key', async () => {
  const { db } = await ownDatabase()

  suite('stored rotations of the master key', () => {
    const rotations = masterKeyRotationStore(db)
    const asked = (id: string, at: number, before = 'one') => ({
      ...{ id, key_before: before, key_next: 'two', asked_at: at },
    })
    const clearTurns = async () => {
      await db.deleteFrom('master_key_nodes').execute()
      await db.deleteFrom('master_key_turns').execute()
    }

    test('the last question is open until it is done, given up, or followed by another', async () => {
      await clearTurns()
      assert.equal(await rotations.last(), undefined)
      await rotations.ask(asked('a', 100))
      assert.deepEqual(await rotations.last(), { ...asked('a', 100), turned_at: null })
      await rotations.ask(asked('b', 200))
      assert.equal((await rotations.last())?.id, 'b')
      assert.equal(await rotations.done('a', 300), false, 'dropped by the next question')
      assert.deepEqual(
        [await rotations.done('b', 300), await rotations.done('b', 301)],
        [true, false],
      )
      await rotations.giveUp('b')
      assert.equal((await rotations.last())?.turned_at, 300, 'what is done stays')
      await rotations.ask(asked('c', 400))
      await rotations.giveUp('other')
      assert.equal((await rotations.last())?.id, 'c')
      await rotations.giveUp('c')
      assert.equal((await rotations.last())?.id, 'b')
    })

    test('a key has ended once it was turned away from', async () => {
      await clearTurns()
      await rotations.ask(asked('a', 100))
      assert.equal(await rotations.hasEnded('one'), false)
      await rotations.done('a', 200)
      const ended = await Promise.all(['one', 'two', 'three'].map(rotations.hasEnded))
      assert.deepEqual(ended, [true, false, false])
    })

    test('each process has its last answer, to a question that was asked', async () => {
      await clearTurns()
      await rotations.ask(asked('a', 100))
      await rotations.answer('a', { instance: 'y', knows: false }, 110)
      await rotations.answer('a', { instance: 'x', knows: true }, 120)
      await rotations.answer('a', { instance: 'y', knows: true }, 130)
      await rotations.answer('other', { instance: 'z', knows: true }, 140)
      assert.deepEqual(await rotations.answers('a'), [
        { instance: 'x', knows: true },
        { instance: 'y', knows: true },
      ])
      await rotations.answer('a', { instance: 'x', knows: false }, 150)
      assert.equal((await rotations.answers('a'))[0]?.knows, false)
      assert.deepEqual(await rotations.answers('other'), [])
      const times = await db.selectFrom('master_key_nodes').select('at').orderBy('at').execute()
      assert.deepEqual(times, [{ at: 130 }, { at: 150 }])
    })

    test('a seal is replaced in the row of its key alone', async () => {
      const key = {
        ...{ purpose: 'signing' as const, algorithm: 'HS256', sealed: 'as before' },
        ...{ createdAt: 100, retiredAt: null, signsFrom: null, isOlder: false },
      }
      for (const id of ['a', 'b']) await keyStore(db).insert({ ...key, id })
      await rotations.seal('a', 'anew')
      const sealed = (await keyStore(db).all()).map((one) => one.sealed)
      assert.deepEqual(sealed, ['anew', 'as before'])
    })
  })
})
