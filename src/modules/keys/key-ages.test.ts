import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fixedClock } from '../../../test/clock.ts'
import { createKeyAges } from './key-ages.ts'
import { assertReplaced, handoverMs, KeySigns } from './retirement.ts'
import type { SealedKey } from './store.ts'

suite('the ages of keys', () => {
  test('a key is seen from the first time on; an unknown key was never seen', () => {
    const clock = fixedClock()
    const ages = createKeyAges(clock)
    clock.advance(10)
    ages.see(['a'])
    clock.advance(5)
    ages.see(['a', 'b'])
    clock.advance(2)
    assert.deepEqual(['a', 'b', 'c'].map(ages.seen), [7000, 2000, 0])
    assert.equal(ages.passed(), 17_000)
  })

  test('a clock that is set back takes no time away, and one that is set on adds its step', () => {
    const clock = fixedClock()
    const ages = createKeyAges(clock)
    ages.see(['a'])
    clock.advance(10)
    assert.equal(ages.passed(), 10_000)
    clock.advance(-3600)
    assert.deepEqual([ages.passed(), ages.seen('a')], [10_000, 10_000])
    clock.advance(1)
    assert.equal(ages.seen('a'), 11_000)
  })

  test('the longer of the age by stamp and by sight counts', () => {
    const clock = fixedClock()
    const ages = createKeyAges(clock)
    ages.see(['a', 'b'])
    clock.advance(10)
    assert.equal(ages.of({ id: 'a', createdAt: clock.now() - 60_000 }), 60_000)
    assert.equal(ages.of({ id: 'b', createdAt: clock.now() + 60_000 }), 10_000)
    assert.equal(ages.of({ id: 'c', createdAt: clock.now() - 3 }), 3)
    assert.equal(ages.of({ id: 'c', createdAt: clock.now() + 3 }), 0)
  })
})

suite('the retirement of a key', () => {
  const now = 1_000_000_000
  const key: SealedKey = {
    ...{ id: 'old', purpose: 'signing', algorithm: 'HS256', sealed: '', isOlder: false },
    ...{ createdAt: now - 10_000_000, retiredAt: now + 1, signsFrom: null },
  }
  const next = { ...key, id: 'new', retiredAt: null, createdAt: now - 2500 }

  /** `seenMs`: how long this process has known the successors. */
  function retire(successors: readonly SealedKey[], { retired = key, seenMs = 0 } = {}) {
    let time = now
    const ages = createKeyAges({ now: () => time })
    ages.see(successors.map(({ id }) => id))
    time += seenMs
    const given = { present: [...successors, retired], now: time, ages }
    assertReplaced(retired, given)
  }

  test('waits until every node signs with its successor', () => {
    assert.equal(handoverMs, 3000)
    retire([next])
    const tooYoung = { ...next, createdAt: now - 2499 }
    assert.throws(() => retire([tooYoung]), {
      message: 'this key signs until its successor does: rotate --now is quicker',
    })
    retire([{ ...next, createdAt: now + 60_000 }], { seenMs: 2500 })
    assert.throws(() => retire([{ ...next, createdAt: now + 60_000 }], { seenMs: 2499 }), KeySigns)
  })

  test('waits until a published successor signs', () => {
    retire([{ ...next, signsFrom: now }])
    const later = { ...next, signsFrom: now + 1 }
    assert.throws(() => retire([later]), KeySigns)
    const far = { ...next, signsFrom: now + 1e9 }
    assert.throws(() => retire([far], { seenMs: 602_499 }), KeySigns)
    retire([far], { seenMs: 602_500 })
  })

  test('needs a younger successor of the same purpose and algorithm', () => {
    assert.throws(() => retire([next], { retired: { ...key, retiredAt: null } }), {
      message: 'this key signs: rotate first',
    })
    const others: Partial<SealedKey>[] = [
      ...[{ purpose: 'refresh' as const }, { algorithm: 'RS256' }],
      ...[{ createdAt: key.createdAt }, { createdAt: key.createdAt - 1 }],
    ]
    for (const change of others) {
      assert.throws(() => retire([{ ...next, ...change }]), KeySigns, JSON.stringify(change))
    }
    assert.throws(() => retire([]), KeySigns)
    retire([{ ...next, algorithm: 'RS256', id: 'other' }, next])
  })
})
