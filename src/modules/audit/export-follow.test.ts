// A database makes a difference: chains grow while they are followed.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { storedAudit, suitesOnEmptyLog } from '../../../test/stored-audit.ts'
import type { Database } from '../../core/database/database.ts'
import { DatabaseUnavailable } from '../../core/database/errors.ts'
import { followRecords, type Seen } from './export.ts'

suite('a followed audit log', async () => {
  const audit = await storedAudit()
  const { db, keys, start } = audit
  const [minute, day] = [60_000, 86_400_000]
  let time = start
  const suiteOnEmptyLog = suitesOnEmptyLog(audit, () => {
    time = start + minute
  })
  const numbersOf = (records: readonly { number: number }[]) => records.map(({ number }) => number)
  const close = (chain: string, at: number | null) =>
    db.updateTable('audit_chains').set({ closed_at: at }).where('chain', '=', chain).execute()

  suiteOnEmptyLog('an export that goes on', () => {
    interface Followed {
      readonly seen?: Seen
      readonly since?: number
      readonly on?: Database
    }

    /** What is read after each step, the steps taken while it waits; and what it reports. */
    async function followed(
      steps: readonly (() => unknown)[],
      { seen = new Map(), since, on = db }: Followed = {},
    ) {
      const stop = new AbortController()
      const left = [...steps]
      const read: number[][] = [[]]
      const losses: unknown[] = []
      const clock = {
        now: () => time,
        async wait(milliseconds: number, signal?: AbortSignal) {
          assert.deepEqual([milliseconds, signal], [1000, stop.signal])
          const step = left.shift()
          if (!step) return stop.abort()
          time += milliseconds
          read.push([])
          await step()
        },
      }
      const options = {
        since,
        seen,
        stop: stop.signal,
        onLoss: (error: unknown) => losses.push(error),
      }
      for await (const batch of followRecords(on, { keys: { audit: keys }, clock }, options)) {
        read.at(-1)?.push(...numbersOf(batch))
      }
      return { read, losses, seen }
    }

    test('has what each chain has got since, by number', async () => {
      for (const chain of ['b', 'a', 'b']) await audit.append(chain)
      const { losses, read, seen } = await followed([
        () => {},
        async () => {
          await audit.append('b')
          await audit.append('a')
          await audit.append('c')
        },
        () => audit.append('a'),
      ])
      assert.deepEqual(read, [[1, 2, 3], [], [4, 5, 6], [7]])
      assert.deepEqual([...seen].toSorted(), [
        ['a', 3],
        ['b', 3],
        ['c', 1],
      ])
      assert.deepEqual(losses, [])
    })

    test('begins behind what was seen, and has records since a time', async () => {
      for (const chain of ['a', 'a', 'b']) await audit.append(chain)
      const seen = () => new Map([['a', 1]])
      assert.deepEqual((await followed([], { seen: seen() })).read, [[2, 3]])
      const since = start + 3000
      const late = await followed([() => audit.append('a', { at: since - 1 })], {
        since,
        seen: seen(),
      })
      assert.deepEqual(late.read, [[3], []])
      assert.equal(late.seen.get('a'), 3)
    })

    test('has a record that a lower number has got later', async () => {
      const { indexed, ...late } = await audit.append('a')
      await db.deleteFrom('audit_records').execute()
      await audit.append('b')
      const { read } = await followed([
        () =>
          db
            .insertInto('audit_records')
            .values({ ...late, indexed })
            .execute(),
      ])
      assert.deepEqual(read, [[2], [1]])
    })

    test('has the last records of a chain that was closed since', async () => {
      await audit.append('a')
      const { read } = await followed([
        async () => {
          await audit.append('a')
          await close('a', time)
        },
        () => audit.append('a'),
      ])
      assert.deepEqual(read.slice(0, 2), [[1], [2]])
      assert.deepEqual(read[2], []) // the next step reads closed chains
    })

    test('reads chains that were closed within a day, once a minute', async () => {
      const [day2, now] = [time - day, time]
      for (const [chain, at] of [
        ['early', day2 - 1],
        ['late', day2],
      ] as const) {
        await audit.append(chain)
        await close(chain, at)
      }
      const { read } = await followed([
        () => {},
        async () => {
          await close('late', time)
          await audit.append('late')
          time = now + minute - 1
        },
        () => {
          time = now + minute
        },
        () => audit.append('late'),
      ])
      assert.deepEqual(read, [[2], [], [], [3], [4]])
    })

    test('has 500 records at once, and does not wait between', async () => {
      for (let count = 0; count < 500; count += 1) await audit.append('a')
      await audit.append('b')
      const { read } = await followed([])
      assert.equal(read.length, 1)
      assert.deepEqual([read[0]?.length, new Set(read[0]).size, read[0]?.at(-1)], [501, 501, 501])
    })

    /** A database that is away while `isAway`. */
    function away(isAway: () => boolean): Database {
      return new Proxy(db, {
        get(target, name) {
          if (name === 'selectFrom' && isAway()) throw new DatabaseUnavailable('away')
          const found = Reflect.get(target, name)
          return typeof found === 'function' ? found.bind(target) : found
        },
      })
    }

    test('waits for a database that is away, and says so once', async () => {
      await audit.append('a')
      let isAway = true
      const { losses, read } = await followed(
        [
          () => {},
          () => {
            time += 297_999
          },
          () => {
            isAway = false
          },
          () => {
            isAway = true
          },
          () => {
            isAway = false
          },
        ],
        { on: away(() => isAway) },
      )
      assert.deepEqual(read, [[], [], [], [1], [], []])
      assert.deepEqual(
        losses.map((error) => error instanceof DatabaseUnavailable),
        [true, false, true, false],
      )
      assert.equal(losses[1], null)
    })

    test('ends after five minutes without a database', async () => {
      const steps = [
        () => {
          time += 299_000
        },
      ]
      await assert.rejects(followed(steps, { on: away(() => true) }), DatabaseUnavailable)
    })

    test('ends with another error', async () => {
      const broken = new Proxy(db, {
        get() {
          throw new Error('as if it failed')
        },
      })
      await assert.rejects(followed([], { on: broken }), /as if it failed/)
    })
  })
})
