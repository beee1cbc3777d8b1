import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { FairQueue } from './fair-queue.ts'

suite('fair queue', () => {
  test('a key that floods it drops its own oldest entries, never those of others', () => {
    const queue = new FairQueue<string>({ maxPerKey: 50, maxEntries: 100 })
    for (let key = 0; key < 60; key += 1) queue.push(`address ${key}`, `own ${key}`)
    for (let sent = 0; sent < 100_000; sent += 1) queue.push('flooder', `flood ${sent}`)
    assert.equal(queue.length, 100)
    const all = queue.takeAll()
    assert.equal(all.filter((value) => value.startsWith('own')).length, 60)
    const flood = all.filter((value) => value.startsWith('flood'))
    assert.deepEqual([flood.length, flood[0], flood.at(-1)], [40, 'flood 99960', 'flood 99999'])
  })

  test('a key keeps at most its own limit, although there is room', () => {
    const queue = new FairQueue<number>({ maxPerKey: 3, maxEntries: 100 })
    let dropped = 0
    for (let sent = 0; sent < 10; sent += 1) if (queue.push('one', sent)) dropped += 1
    assert.equal(dropped, 7)
    assert.deepEqual(queue.takeAll(), [7, 8, 9])
  })

  test('if each key has one entry, the oldest key makes room', () => {
    const queue = new FairQueue<number>({ maxPerKey: 3, maxEntries: 3 })
    const made = [0, 1, 2, 3, 4].map((key) => queue.push(String(key), key))
    assert.deepEqual(made, [false, false, false, true, true])
    assert.deepEqual(queue.takeAll(), [2, 3, 4])
    assert.equal(queue.length, 0)
    queue.push('0', 9)
    assert.deepEqual(queue.takeAll(), [9])
  })

  test('a key that has lost its last entry begins behind the others', () => {
    const queue = new FairQueue<string>({ maxPerKey: 3, maxEntries: 3 })
    for (const key of ['a', 'b', 'c', 'd', 'a']) queue.push(key, key)
    assert.deepEqual(queue.takeAll(), ['c', 'd', 'a'])
  })

  test('the largest key makes room again and again, until another one is as large', () => {
    const queue = new FairQueue<string>({ maxPerKey: 3, maxEntries: 4 })
    for (const value of ['a1', 'a2', 'a3', 'b1']) queue.push(value.charAt(0), value)
    assert.equal(queue.push('c', 'c1'), true)
    assert.equal(queue.push('d', 'd1'), true)
    assert.equal(queue.length, 4)
    assert.equal(queue.push('e', 'e1'), true)
    assert.equal(queue.length, 4)
    assert.deepEqual(queue.takeAll(), ['a3', 'c1', 'd1', 'e1'])
  })

  test('agrees with a plain list of all entries at every step', () => {
    const queue = new FairQueue<string>({ maxPerKey: 4, maxEntries: 10 })
    let plain: { key: string; value: string }[] = []
    for (let step = 0; step < 500; step += 1) {
      const key = `k${(step * 7919) % 13}`
      const value = `${key} ${step}`
      queue.push(key, value)
      const countOf = (name: string) => plain.filter((one) => one.key === name).length
      const largest = Math.max(0, ...plain.map((one) => countOf(one.key)))
      if (countOf(key) === 4)
        plain.splice(
          plain.findIndex((one) => one.key === key),
          1,
        )
      else if (plain.length === 10) assert.equal(largest > 0, true)
      plain.push({ key, value })
      if (plain.length > 10) {
        // Which of several largest keys gives way is the queue's choice: take it over.
        const copy = queue.takeAll()
        plain = plain.filter((one) => copy.includes(one.value))
        assert.deepEqual(new Set(copy), new Set(plain.map((one) => one.value)))
        assert.equal(copy.length, 10)
        for (const one of plain) queue.push(one.key, one.value)
      }
      assert.equal(queue.length, plain.length)
    }
  })
})
