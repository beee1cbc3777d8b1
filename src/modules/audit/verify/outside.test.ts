import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Checkpoint, signCheckpoint } from '../checkpoint-form.ts'
import { checkpointKey } from '../checkpoint-key.ts'
import type { CheckpointSigners } from '../checkpoint-key-rotation.ts'
import type { CheckpointStore } from '../checkpoint-store.ts'
import { lineOf } from '../outside/file-sink.ts'
import { explaining, type OutsideOptions, readOutside } from './outside.ts'
import { createFindings } from './report.ts'

suite('the comparison with the file outside', () => {
  const own = checkpointKey(Buffer.alloc(32, 1))
  const other = checkpointKey(Buffer.alloc(32, 2))
  const checkpoint = (number: number, at = 10 * number, key = own): Checkpoint =>
    signCheckpoint(key, { number, at, previous: '', heads: '[]', records: 1 })
  const signers = {
    of: ({ key_id }: Checkpoint) => (key_id === own.id ? own : undefined),
  } as CheckpointSigners // what is used
  const wrong = (line: number) =>
    `line ${line} of the file outside is not signed by this service: it was changed`

  async function compared(
    database: readonly Checkpoint[],
    lines: readonly (Checkpoint | string)[],
    more: Partial<OutsideOptions> = {},
  ) {
    const asked: number[] = []
    const store = {
      async numbered(numbers: readonly number[]) {
        asked.push(numbers.length)
        return database.filter(({ number }) => numbers.includes(number))
      },
    } as CheckpointStore // what is used
    async function* read() {
      for (const line of lines)
        yield typeof line === 'string' ? line : lineOf({ checkpoint: line }).trimEnd()
    }
    const findings = createFindings()
    const lastNumber = Math.max(0, ...database.map(({ number }) => number))
    const options = { signers, lines: read(), removedThrough: 0, lastNumber, ownFrom: 1, ...more }
    const found = await readOutside(store, options, findings)
    const details = findings.list().map(({ what, detail }) => {
      assert.equal(what, 'outside')
      return detail
    })
    return { ...found, asked, details }
  }

  const one = checkpoint(1)
  const two = checkpoint(2)
  const three = checkpoint(3)
  const none = { asked: [], details: [], lacking: null, last: null, removed: 0 }

  test('of an empty file finds nothing, and asks for nothing', async () => {
    assert.deepEqual(await compared([one], []), { ...none, lines: 0, checkpoints: 0 })
    assert.deepEqual(await compared([one], ['', 'x', '']), { ...none, lines: 1, checkpoints: 0 })
  })

  test('counts lines and checkpoints, and names the newest by time', async () => {
    const found = await compared([one, two], [one, '', '{"record":{}}', two, one])
    assert.deepEqual(found, {
      ...{ ...none, asked: [2], lines: 4, checkpoints: 3, last: { number: 2, at: 20 } },
    })
    const [early, late] = [checkpoint(1, 7), checkpoint(2, 7)]
    assert.deepEqual((await compared([early, late], [early, late])).last, { number: 2, at: 7 })
  })

  test('finds a line that this service has not signed', async () => {
    const changed = { ...two, at: 5 }
    const found = await compared([one, two], [one, changed])
    assert.deepEqual(
      [found.details, found.lacking, found.last],
      [[wrong(2)], null, { number: 1, at: 10 }],
    )
    const unknown = await compared([one], [one, { ...three, at: 5 }])
    assert.deepEqual([unknown.details, unknown.lacking], [[wrong(2)], null])
    const removed = await compared([one], [{ ...one, number: 0 }, one], { removedThrough: 1 })
    assert.deepEqual([removed.details, removed.removed], [[wrong(1)], 0])
  })

  test('counts what retention removed', async () => {
    const found = await compared([three], [one, two, three], { removedThrough: 2 })
    assert.deepEqual([found.removed, found.lacking, found.details], [2, null, []])
    const later = await compared([], [one, two, three], { removedThrough: 2, lastNumber: 2 })
    assert.deepEqual([later.removed, later.lacking], [2, { from: 3, to: 3, lines: 1, at: 30 }])
  })

  test('says nothing of a gap of the database, which is found there', async () => {
    const found = await compared([one, three], [one, two, three])
    assert.deepEqual([found.lacking, found.details, found.removed], [null, [], 0])
    assert.deepEqual(found.last, { number: 3, at: 30 })
    const last = await compared([one], [two], { lastNumber: 2 })
    assert.deepEqual([last.lacking, last.last], [null, { number: 2, at: 20 }])
  })

  test('has the range of what the database lacks, and its newest time', async () => {
    const lines = [three, checkpoint(4, 99), checkpoint(2, 5)]
    const found = await compared([one], lines)
    assert.deepEqual(found.lacking, { from: 2, to: 4, lines: 3, at: 99 })
    assert.deepEqual([found.details, found.last], [[], { number: 4, at: 99 }])
  })

  test('has a fork where the database has another checkpoint of the same number', async () => {
    const fork = checkpoint(2, 25)
    const found = await compared([one, two, three], [one, fork])
    assert.deepEqual(found.lacking, { from: 2, to: 2, lines: 1, at: 25 })
    // A line of another key cannot be judged.
    const foreign = checkpoint(2, 25, other)
    assert.deepEqual((await compared([one, two], [foreign])).lacking?.from, 2)
    const removed = await compared([two], [fork], { removedThrough: 2 })
    assert.deepEqual([removed.removed, removed.lacking?.from], [0, 2])
    const same = { ...two, signature: one.signature }
    assert.deepEqual((await compared([one, two], [same])).details, [wrong(1)])
  })

  test('has none where the checkpoint of the database is forged, which is found there', async () => {
    const forged = { ...two, at: 5 }
    const found = await compared([one, forged], [one, two])
    assert.deepEqual([found.lacking, found.details, found.last], [null, [], { number: 2, at: 20 }])
    const foreign = checkpoint(2, 25, other)
    assert.equal((await compared([one, foreign], [two])).lacking, null)
    assert.equal((await compared([one, foreign], [two], { ownFrom: 2 })).lacking?.from, 2)
    assert.equal((await compared([one, foreign], [two], { ownFrom: Infinity })).lacking?.from, 2)
  })

  test('of a last checkpoint takes the later line of one time', async () => {
    const [early, late] = [checkpoint(3, 20), checkpoint(4, 20)]
    assert.deepEqual((await compared([two], [two, early])).last, { number: 3, at: 20 })
    assert.deepEqual((await compared([two], [two, checkpoint(3, 19)])).last?.number, 2)
    const gap = await compared([two, late], [two, early])
    assert.deepEqual(gap.last, { number: 3, at: 20 })
    assert.deepEqual((await compared([two, late], [two, checkpoint(3, 19)])).last?.number, 2)
  })

  test('asks for 500 at once', async () => {
    const all = Array.from({ length: 1001 }, (_, at) => checkpoint(at + 1))
    const found = await compared(all.slice(0, 1000), all)
    assert.deepEqual([found.asked, found.checkpoints], [[500, 500, 1], 1001])
    assert.deepEqual(found.lacking, { from: 1001, to: 1001, lines: 1, at: 10_010 })
    assert.deepEqual((await compared(all, all.slice(0, 500))).asked, [500])
  })

  test('is explained by the last restore since the newest line', () => {
    const restore = (at: number) => ({ id: `${at}`, at, file: null, created_at: null })
    const last = restore(9)
    assert.equal(explaining({ at: 6 }, last), last)
    assert.equal(explaining({ at: 9 }, last), last)
    assert.equal(explaining({ at: 10 }, last), null)
    assert.equal(explaining({ at: 0 }, null), null)
  })
})
