import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { BoundedMap } from './bounded-map.ts'

/** What the map should hold: the youngest keys that were set, in their order. */
class Model {
  entries: (readonly [key: number, value: number])[] = []

  set(max: number, key: number, value: number): void {
    this.delete(key)
    if (this.entries.length >= max) this.entries.shift()
    this.entries.push([key, value])
  }

  delete(key: number): void {
    this.entries = this.entries.filter(([other]) => other !== key)
  }
}

suite('a bounded map', () => {
  test('holds the youngest entries, whatever is set, set again, deleted and cleared', () => {
    const keys = fc.integer({ min: 0, max: 11 })
    const step = fc.oneof(
      { arbitrary: fc.tuple(fc.constant('set' as const), keys), weight: 12 },
      { arbitrary: fc.tuple(fc.constant('delete' as const), keys), weight: 3 },
      { arbitrary: fc.tuple(fc.constant('clear' as const), keys), weight: 1 },
    )
    const steps = fc.array(step, { maxLength: 200, size: 'max' })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), steps, (max, all) => {
        const map = new BoundedMap<number, number>(max)
        const model = new Model()
        for (const [index, [what, key]] of all.entries()) {
          if (what === 'set') {
            map.set(key, index)
            model.set(max, key, index)
          } else if (what === 'delete') {
            map.delete(key)
            model.delete(key)
          } else {
            map.clear()
            model.entries = []
          }
          const held = new Map(model.entries)
          for (let other = 0; other < 12; other += 1) {
            assert.equal(map.get(other), held.get(other))
          }
        }
      }),
    )
  })
})
