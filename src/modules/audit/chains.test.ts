import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fixedClock } from '../../../test/clock.ts'
import { seededRandom } from '../../../test/random.ts'
import { createChains } from './chains.ts'
import { closedKeysOf, closedKeysOfTombstone, closedText } from './closed-keys.ts'

suite('the chains of a process', () => {
  const chainsOf = () => {
    const clock = fixedClock()
    return { clock, chains: createChains({ clock, random: seededRandom(3) }) }
  }
  const head = { place: 1, mac: 'm' }

  test('a transaction has a chain of its own, and goes on where the last commit ended', () => {
    const { chains } = chainsOf()
    const [one, two] = [chains.take(), chains.take()]
    assert.notEqual(one.chain.name, two.chain.name)
    assert.deepEqual([one.chain.place, one.chain.mac], [0, null])
    assert.equal(Buffer.from(one.chain.name, 'base64url').length, 16)
    one.release('committed', head)
    two.release('committed', { place: 2, mac: 'n' })
    // The last released first: few chains get most records.
    assert.deepEqual(chains.take().chain, { name: two.chain.name, place: 2, mac: 'n' })
    assert.deepEqual(chains.take().chain, { name: one.chain.name, ...head })
  })

  test('after a rollback the chain is as before; after an unknown end it is used no more', () => {
    const { chains } = chainsOf()
    const one = chains.take()
    one.release('rolled back', head)
    const again = chains.take()
    assert.deepEqual(again.chain, one.chain)
    again.release('unknown', head)
    assert.notEqual(chains.take().chain.name, one.chain.name)
  })

  test('those that were not used since a time are left; an empty one needs no end', () => {
    const { chains, clock } = chainsOf()
    const [one, two, empty] = [chains.take(), chains.take(), chains.take()]
    one.release('committed', head)
    empty.release('rolled back', { place: 0, mac: null })
    clock.advance(1)
    two.release('committed', head)
    assert.deepEqual(chains.leave(clock.now() - 1000), [])
    assert.deepEqual(chains.leave(clock.now()), [one.chain.name])
    assert.deepEqual(chains.leave(clock.now()), [])
    assert.equal(chains.take().chain.name, two.chain.name)
    assert.equal(chains.take().chain.place, 0)
  })
})

suite('lists of erased keys', () => {
  const at = 1_700_000_000_000
  const day = 86_400_000
  const none = { keys: [], through: null }
  const factsOf = (facts: object | string) =>
    closedKeysOf({ at, facts: typeof facts === 'string' ? facts : JSON.stringify(facts) })

  test('of a record', () => {
    const key = (name: string, through: number | null) => ({ name, at, through })
    assert.deepEqual(factsOf({ closed: ['a', 'b'] }), {
      ...{ keys: [key('a', null), key('b', null)], through: null },
    })
    assert.deepEqual(factsOf({ closed: ['a'], closed_through: 9 }), {
      ...{ keys: [key('a', 9)], through: 9 },
    })
    assert.deepEqual(factsOf({ closed: [], closed_through: 0 }), { keys: [], through: 0 })
    for (const facts of [{}, { closed: 'a' }, { x: 'closed' }, '"closed"', '{"closed":[', 'null']) {
      assert.deepEqual(factsOf(facts), none)
    }
  })

  test('of a tombstone, as they were written', () => {
    const list = {
      keys: [
        { name: 'a', at, through: null },
        { name: 'b', at, through: 4 },
      ],
      through: 4,
    }
    assert.deepEqual(closedKeysOfTombstone({ closed: closedText([list], at) }), list)
    assert.deepEqual(closedKeysOfTombstone({ closed: '' }), none)
  })

  test('are merged, without the keys that no record can use', () => {
    const key = (name: string, when: number) => ({ name, at: when, through: null })
    const lists = [
      { keys: [key('a', at - day), key('b', at - day + 1)], through: 9 },
      { keys: [key('c', at + 5)], through: 4 },
      { keys: [], through: null },
    ]
    assert.equal(
      closedText(lists, at),
      JSON.stringify([4, ['b', at - day + 1, null], ['c', at + 5, null]]),
    )
    assert.equal(closedText(lists, null), '[4]')
    assert.equal(closedText([{ keys: [key('c', at)], through: null }], null), '')
    assert.equal(
      closedText([{ keys: [key('c', at)], through: null }], at),
      `[null,["c",${at},null]]`,
    )
    assert.equal(closedText([], at), '')
    assert.equal(closedText([{ keys: [], through: 0 }], at), '[0]')
  })
})
