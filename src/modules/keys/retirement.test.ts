import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fixedClock } from '../../../test/clock.ts'
import { createKeyAges } from './key-ages.ts'
import { assertReplaced, handoverMs, KeySigns } from './retirement.ts'
import type { SealedKey } from './store.ts'

const birth = fixedClock().now()

function key(id: string, more: Partial<SealedKey> = {}): SealedKey {
  return {
    ...{ id, purpose: 'signing', algorithm: 'HS256', sealed: '', createdAt: birth },
    ...{ retiredAt: null, signsFrom: null, isOlder: false, ...more },
  }
}

suite('a key is retired once every node signs with its successor', () => {
  const old = key('old', { retiredAt: birth + 1 })

  /** Why the key is not retired, in a process that has seen the keys for so long. */
  function refusal(present: readonly SealedKey[], seenMs = 0, retiring = old): string | undefined {
    const clock = fixedClock()
    const ages = createKeyAges(clock)
    ages.see(present.map(({ id }) => id))
    clock.advance(seenMs / 1000)
    try {
      assertReplaced(retiring, { present: [...present, retiring], ages, now: clock.now() })
      return undefined
    } catch (error) {
      assert.ok(error instanceof KeySigns)
      return error.message
    }
  }

  const waits = 'this key signs until its successor does: rotate --now is quicker'

  test('a key that is not replaced signs', () => {
    assert.equal(refusal([], 1e9, key('old')), 'this key signs: rotate first')
    assert.equal(refusal([], 1e9), waits)
  })

  test('a successor at once: by its age, or as long as this process has seen it', () => {
    const next = (createdAt: number) => [key('next', { createdAt })]
    assert.equal(refusal(next(birth + 1), 2499), waits)
    assert.equal(refusal(next(birth + 1), 2500), undefined)
    assert.equal(refusal(next(birth + 1e6), 2499), waits, 'by a clock that is ahead')
    assert.equal(refusal(next(birth + 1e6), 2500), undefined)
    assert.equal(handoverMs, 3000, 'half a second for the look of the other nodes')
  })

  test('a published successor: from its time on, or seen for the ten minutes and the handover', () => {
    const next = (signsFrom: number) => [key('next', { createdAt: birth + 1, signsFrom })]
    assert.equal(refusal(next(birth + 60_000), 59_999), waits)
    assert.equal(refusal(next(birth + 60_000), 60_000), undefined)
    assert.equal(refusal(next(birth + 1e9), 602_499), waits)
    assert.equal(refusal(next(birth + 1e9), 602_500), undefined)
  })

  test('no other purpose, no other algorithm and no older key is a successor', () => {
    const others: readonly Partial<SealedKey>[] = [
      { purpose: 'refresh', createdAt: birth + 1 },
      { algorithm: 'RS256', createdAt: birth + 1 },
      { createdAt: birth },
      { createdAt: birth - 1 },
    ]
    for (const more of others) assert.equal(refusal([key('next', more)], 1e6), waits)
    const all = [...others, { createdAt: birth + 1 }].map((more, at) => key(`key ${at}`, more))
    assert.equal(refusal(all, 1e6), undefined)
  })
})
