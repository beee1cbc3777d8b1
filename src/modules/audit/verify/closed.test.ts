import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createClosedKeysCheck } from './closed.ts'
import { createFindings } from './report.ts'

suite('the check of erased keys', () => {
  const key = (name: string, through: number | null = null) => ({ name, at: 5, through })
  const gone = (number: number) => ({
    ...{ what: 'erasure', chain: null, place: null, number, id: null },
    detail: `the key of a person is gone, and no record of an erasure lists it: record ${number} is the first that it has sealed`,
  })
  const twice = {
    ...{ what: 'erasure', chain: null, place: null, number: null, id: null },
    detail:
      'erasures from before version 0.10.0 were listed more than once: a list was hidden from the service meanwhile',
  }

  type Check = ReturnType<typeof createClosedKeysCheck>
  function judged(given: (check: Check) => void, through = 0) {
    const check = createClosedKeysCheck()
    given(check)
    const findings = createFindings()
    const notes = check.judge(findings, through)
    assert.equal(findings.count(), findings.list().length)
    return [findings.list(), notes]
  }
  const note = (count: string) => [`${count} before version 0.10.0, without proof`]

  test('has nothing to say without keys', () => {
    assert.deepEqual(
      judged(() => {}),
      [[], []],
    )
    assert.deepEqual(
      judged(({ list }) => list({ keys: [key('a')], through: null }, 'c')),
      [[], []],
    )
  })

  test('a key that is gone must be listed; the problem names its first record', () => {
    const check = ({ list, used }: Check) => {
      list({ keys: [key('a')], through: null }, 'c')
      for (const number of [5, 3, 9]) used('b', number)
      used('a', 1)
      used('d', 2)
    }
    assert.deepEqual(judged(check), [[gone(2), gone(3)], []])
    assert.deepEqual(judged(check, 2), [[gone(3)], note('1 erasure')])
    assert.deepEqual(judged(check, 3), [[], note('2 erasures')])
  })

  test('a list of earlier erasures replaces the number through which they are excused', () => {
    const check = ({ list, used }: Check) => {
      list({ keys: [key('a', 9)], through: 9 }, 'c')
      used('a', 7)
      used('b', 8)
    }
    assert.deepEqual(judged(check, 100), [[gone(8)], note('1 erasure')])
  })

  test('a list of no key replaces it as well, even of an empty log', () => {
    const check = ({ list, used }: Check) => {
      list({ keys: [], through: 0 }, 'c')
      used('a', 1)
    }
    assert.deepEqual(judged(check, 100), [[gone(1)], []])
  })

  test('several records of one chain may list them', () => {
    const check = ({ list, used }: Check) => {
      list({ keys: [key('a', 9)], through: 9 }, 'c')
      list({ keys: [key('b', 9)], through: 9 }, 'c')
      used('a', 7)
      used('b', 8)
    }
    assert.deepEqual(judged(check), [[], note('2 erasures')])
  })

  test('of more lists the first counts, on whichever chain it is found', () => {
    const lists = [
      [{ keys: [key('a', 9)], through: 9 }, 'c'],
      [{ keys: [key('b', 4)], through: 4 }, 'd'],
    ] as const
    for (const order of [lists, lists.toReversed()]) {
      const check = ({ list, used }: Check) => {
        for (const [keys, chain] of order) list(keys, chain)
        used('a', 1)
        used('b', 2)
      }
      assert.deepEqual(judged(check), [[gone(1), twice], note('1 erasure')])
    }
  })
})
