import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { sharedReads } from '../../database/sqlite/connect.ts'
import { together } from './pipelining.ts'

/** A feed whose versions count their reads. */
function countedFeed() {
  const reads = { version: 0, anyVersion: 0 }
  const count = (name: keyof typeof reads) => () => {
    reads[name] += 1
    return reads[name]
  }
  const feed = sharedReads({ version: count('version'), anyVersion: count('anyVersion') })
  return { feed, reads }
}

suite('requests that arrive in one turn of the event loop', () => {
  test('are served in their order, by versions that are read once, after the last has arrived', async () => {
    const { feed, reads } = countedFeed()
    const serve = together({ feed })
    const seen: (readonly [name: string, version: number, anyVersion: number])[] = []
    for (const name of ['a', 'b', 'c']) {
      serve(() => seen.push([name, feed.version(), feed.anyVersion()]))
      assert.deepEqual(reads, { version: 0, anyVersion: 0 })
    }
    await setImmediate()
    const expected = ['a', 'b', 'c'].map((name) => [name, 1, 1])
    assert.deepEqual(seen, expected)
    serve(() => seen.push(['later', feed.version(), feed.anyVersion()]))
    await setImmediate()
    assert.deepEqual(seen.at(-1), ['later', 2, 2], 'a later turn reads them anew')
  })

  test('share no read with work that one of them continues later', async () => {
    const { feed } = countedFeed()
    const serve = together({ feed })
    const seen: number[] = []
    serve(async () => {
      seen.push(feed.version())
      await null
      seen.push(feed.version(), feed.version())
    })
    await setImmediate()
    assert.deepEqual(seen, [1, 2, 3])
  })

  test('are served although one of them fails', async () => {
    const seen: string[] = []
    const catching = (work: () => void) => {
      try {
        work()
      } catch (error) {
        seen.push(String(error))
      }
    }
    const serve = together({ feed: { together: catching } })
    serve(() => seen.push('a'))
    serve(() => {
      throw new Error('a bug')
    })
    serve(() => seen.push('c'))
    await setImmediate()
    await setImmediate()
    assert.deepEqual(seen, ['a', 'Error: a bug', 'c'])
  })

  test('share no read with those that are served after a failure', () => {
    const { feed } = countedFeed()
    const seen: number[] = []
    const fails = () => {
      seen.push(feed.version())
      throw new Error('a bug')
    }
    assert.throws(() => feed.together(fails), /a bug/)
    feed.together(() => seen.push(feed.version(), feed.version()))
    seen.push(feed.version())
    assert.deepEqual(seen, [1, 2, 2, 3])
  })
})
