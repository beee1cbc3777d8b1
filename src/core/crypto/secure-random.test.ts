import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Random } from './random.ts'
import { pooledRandom } from './random.ts'

suite('pooled random bytes', () => {
  /** A source that counts upwards by two bytes each, so that no pair of its bytes repeats soon. */
  function counted() {
    const lengths: number[] = []
    let next = 0
    const source: Random = {
      bytes(length) {
        lengths.push(length)
        const bytes = Buffer.alloc(length)
        for (let at = 0; at < length; at += 1) bytes[at] = at % 2 === 0 ? next >> 8 : next++ & 255
        return bytes
      },
    }
    return { source, lengths }
  }

  test('come from one call of the source, in its order, and none is given twice', () => {
    const { source, lengths } = counted()
    const random = pooledRandom(source)
    const given = Array.from({ length: 300 }, () => Buffer.from(random.bytes(16)).toString('hex'))
    assert.deepEqual(lengths, [4096, 4096])
    assert.equal(new Set(given).size, 300)
    const wanted = Buffer.from(counted().source.bytes(32)).toString('hex')
    assert.equal(given.slice(0, 2).join(''), wanted)
  })

  test('belong to the caller: a change of them changes no other', () => {
    const random = pooledRandom(counted().source)
    const first = random.bytes(4)
    first.fill(255)
    assert.deepEqual([...random.bytes(4)], [0, 2, 0, 3])
    assert.deepEqual([...first], [255, 255, 255, 255])
  })

  test('of any length are as many as asked, also at the end of the pool', () => {
    const random = pooledRandom(counted().source)
    for (let length = 0; length <= 130; length += 1) {
      for (let time = 0; time < 3; time += 1) assert.equal(random.bytes(length).length, length)
    }
  })

  test('in large numbers do not use up the pool', () => {
    const { source, lengths } = counted()
    const random = pooledRandom(source)
    random.bytes(16)
    assert.equal(random.bytes(65).length, 65)
    random.bytes(64)
    assert.deepEqual(lengths, [4096, 65])
  })

  test('are wiped from the pool when they are given', () => {
    const { source } = counted()
    const drawn: Uint8Array[] = []
    const random = pooledRandom({
      bytes(length) {
        drawn.push(source.bytes(length))
        return drawn[0] ?? new Uint8Array()
      },
    })
    random.bytes(16)
    assert.deepEqual([...(drawn[0] ?? [])].slice(0, 18), [...new Array(16).fill(0), 0, 8])
  })
})
