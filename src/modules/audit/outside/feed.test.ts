// A database makes a difference: what a sink lacks is read from the tables.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { storedAudit, suitesOnEmptyLog } from '../../../../test/stored-audit.ts'
import { gatehouse } from '../../../core/hints/command-line.ts'
import { checkpointDigest, signTombstone } from '../checkpoint-form.ts'
import { createSinkFeed } from './feed.ts'
import type { Item, SinkOffset } from './sink.ts'

suite('the feed of a sink', async () => {
  const audit = await storedAudit()
  const { db, signer, start } = audit
  const hour = 3_600_000
  let time = start
  const clock = { now: () => time, wait: async () => {} }

  function feedOf(
    options: { takesRecords?: boolean; fromTheBeginning?: boolean; offset?: SinkOffset } = {},
  ) {
    const { takesRecords = true, fromTheBeginning = true } = options
    const sent: string[] = []
    const batches: number[] = []
    const offsets: SinkOffset[] = []
    const lines: string[] = []
    const state: { error: Error | null; onSend: () => Promise<void> | void } = {
      error: null,
      onSend: () => {},
    }
    const sink = {
      ...{ name: 'sink', takesRecords, fromTheBeginning },
      async offset() {
        if (state.error) throw state.error
        return options.offset ?? null
      },
      async send(items: readonly Item[]) {
        await state.onSend()
        if (state.error) throw state.error
        batches.push(items.length)
        sent.push(...items.map(nameOf))
      },
      async arrived(offset: SinkOffset) {
        offsets.push(offset)
      },
    }
    const log = {
      error: (_: object, text: string) => lines.push(`error ${text}`),
      info: (_: object, text: string) => lines.push(`info ${text}`),
    } as unknown as Parameters<typeof createSinkFeed>[1]['log'] // what is called
    const feed = createSinkFeed(sink, { db, clock, log })
    return { ...{ batches, feed, lines, offsets, sent, state } }
  }

  const nameOf = (item: Item) =>
    'record' in item ? `${item.record.chain}${item.record.place}` : `#${item.checkpoint.number}`

  const offsetOf = (checkpoint: Parameters<typeof checkpointDigest>[0]): SinkOffset => ({
    number: checkpoint.number,
    digest: checkpointDigest(checkpoint),
  })

  const suiteOnEmptyLog = suitesOnEmptyLog(audit, () => {
    time = start + 60_000
  })

  const away = 'error a sink of the audit log is away: what it lacks is sent when it is back'
  const back = 'info the sink of the audit log has everything again'
  const unknown = `error the sink of the audit log has a checkpoint that the database lacks: run \`${gatehouse} audit verify\``

  suiteOnEmptyLog('what a sink is sent', () => {
    test('is nothing without a checkpoint', async () => {
      await audit.append('a')
      const { feed, sent } = feedOf()
      await feed.run()
      assert.deepEqual([sent, feed.waitingSince(), feed.name], [[], null, 'sink'])
    })

    test('are the records of each checkpoint before it, once', async () => {
      for (const chain of ['a', 'b', 'a']) await audit.append(chain)
      const one = await audit.checkpoint()
      await audit.append('a')
      const two = await audit.checkpoint()
      await audit.append('b')
      const { feed, offsets, sent } = feedOf()
      await feed.run()
      assert.deepEqual(sent, ['a1', 'a2', 'b1', '#1', 'a3', '#2'])
      assert.deepEqual(offsets, [offsetOf(two)])
      await feed.run()
      assert.equal(sent.length, 6)
      await audit.checkpoint()
      await feed.run()
      assert.deepEqual(sent.slice(6), ['b2', '#3'])
      assert.equal(one.number, 1)
    })

    test('are checkpoints alone, if it takes no records', async () => {
      await audit.append('a')
      await audit.checkpoint()
      const { feed, sent } = feedOf({ takesRecords: false })
      await feed.run()
      assert.deepEqual(sent, ['#1'])
    })

    test('is sent in batches; records that are gone are left out', async () => {
      for (let count = 0; count < 503; count += 1) await audit.append('a')
      await audit.append('b')
      await audit.checkpoint()
      await db.deleteFrom('audit_records').where('chain', '=', 'b').execute()
      const { batches, feed, offsets, sent } = feedOf()
      await feed.run()
      assert.deepEqual(batches, [500, 4])
      assert.deepEqual(
        [sent[499], sent[500], sent.at(-2), sent.at(-1)],
        ['a500', 'a501', 'a503', '#1'],
      )
      assert.equal(offsets.length, 1)
    })

    test('of more checkpoints than one read takes are all', async () => {
      for (let count = 0; count < 23; count += 1) {
        await audit.append('a')
        await audit.checkpoint()
      }
      const { batches, feed, offsets, sent } = feedOf({ takesRecords: false })
      await feed.run()
      assert.equal(sent.length, 23)
      assert.deepEqual(batches, [20, 3])
      assert.deepEqual(
        offsets.map(({ number }) => number),
        [20, 23],
      )
    })
  })

  suiteOnEmptyLog('where a sink goes on', () => {
    test('is behind the last checkpoint that it has', async () => {
      await audit.append('a')
      const one = await audit.checkpoint()
      await audit.append('a')
      await audit.checkpoint()
      const { feed, lines, sent } = feedOf({ offset: offsetOf(one) })
      await feed.run()
      assert.deepEqual([sent, lines], [['a2', '#2'], []])
    })

    test('of a new sink is an hour before, unless it takes all', async () => {
      for (const at of [time - hour - 2, time - hour - 1, time - hour, time]) {
        await audit.append('a', { at })
        await audit.checkpoint()
      }
      const late = feedOf({ fromTheBeginning: false })
      await late.feed.run()
      assert.deepEqual(late.sent, ['a3', '#3', 'a4', '#4'])
      const all = feedOf()
      await all.feed.run()
      assert.equal(all.sent.length, 8)
    })

    test('of a new sink without a checkpoint of the last hour is the next', async () => {
      await audit.append('a', { at: time - hour - 1 })
      await audit.checkpoint()
      const { feed, sent } = feedOf({ fromTheBeginning: false })
      await feed.run()
      assert.deepEqual(sent, [])
      await audit.append('a')
      await audit.checkpoint()
      await feed.run()
      assert.deepEqual(sent, ['a2', '#2'])
    })

    test('after an older copy was restored is the last hour, and the log says so', async () => {
      for (const at of [time - hour - 1, time]) {
        await audit.append('a', { at })
        await audit.checkpoint()
      }
      for (const offset of [
        { number: 2, digest: 'other' },
        { number: 5, digest: 'x' },
      ]) {
        const { feed, lines, offsets, sent } = feedOf({ offset })
        await feed.run()
        assert.deepEqual([sent, lines], [['a2', '#2'], [unknown]])
        assert.deepEqual(
          offsets.map(({ number }) => number),
          [2],
        )
        await feed.run()
        assert.deepEqual([sent.length, lines.length], [2, 1])
      }
      const { feed, sent } = feedOf({ offset: { number: 1, digest: 'x' } })
      await feed.run()
      assert.deepEqual(sent, ['a1', '#1', 'a2', '#2'])
    })

    test('a checkpoint that retention has removed is no fork', async () => {
      await audit.append('a')
      const one = await audit.checkpoint()
      await audit.append('a')
      await audit.checkpoint()
      await db.deleteFrom('audit_checkpoints').where('number', '=', 1).execute()
      const tombstone = {
        chain: 'checkpoints',
        place: 1,
        mac: '',
        records: 1,
        at: time,
        closed: '',
      }
      await db.insertInto('audit_tombstones').values(signTombstone(signer, tombstone)).execute()
      const { feed, lines, sent } = feedOf({ offset: offsetOf(one) })
      await feed.run()
      assert.deepEqual([sent, lines], [['a2', '#2'], []])
    })
  })

  suiteOnEmptyLog('a sink that is away', () => {
    test('is sent everything when it is back; one line for each', async () => {
      const { at } = await audit.append('a')
      await audit.checkpoint()
      const { feed, lines, offsets, sent, state } = feedOf()
      await feed.run()
      await audit.append('a')
      const two = await audit.checkpoint()
      state.error = new Error('as if it were away')
      await feed.run()
      await feed.run()
      assert.deepEqual([sent, lines, offsets.length], [['a1', '#1'], [away], 1])
      assert.equal(feed.waitingSince(), two.at)
      assert.ok(two.at > at)
      state.error = null
      await feed.run()
      assert.deepEqual(
        [sent, lines],
        [
          ['a1', '#1', 'a2', '#2'],
          [away, back],
        ],
      )
      assert.equal(feed.waitingSince(), null)
      await feed.run()
      assert.equal(lines.length, 2)
      state.error = new Error('again')
      await audit.append('a')
      await audit.checkpoint()
      await feed.run()
      assert.deepEqual(lines, [away, back, away])
    })

    test('from the start waits since then, because it is unknown what it has', async () => {
      const { feed, state } = feedOf()
      state.error = new Error('as if it were away')
      await feed.run()
      time += 1000
      await feed.run()
      assert.equal(feed.waitingSince(), time - 1000)
    })

    test('is silent once the service stops', async () => {
      await audit.append('a')
      await audit.checkpoint()
      const stop = new AbortController()
      const { feed, lines, state } = feedOf()
      state.onSend = () => {
        stop.abort()
        throw new Error('closed')
      }
      await feed.run(stop.signal)
      assert.deepEqual(lines, [])
    })
  })

  suiteOnEmptyLog('a feed at work', () => {
    test('a call while another works shares its end, and is sent what was written before', async () => {
      await audit.append('a')
      await audit.checkpoint()
      const { feed, sent, state } = feedOf()
      const holding = Promise.withResolvers<void>()
      const reached = Promise.withResolvers<void>()
      state.onSend = () => {
        reached.resolve()
        return holding.promise
      }
      const first = feed.run()
      await reached.promise
      await audit.append('a')
      await audit.checkpoint()
      const second = feed.run()
      assert.equal(first, second)
      holding.resolve()
      await second
      assert.deepEqual(sent, ['a1', '#1', 'a2', '#2'])
      await audit.append('a')
      await audit.checkpoint()
      await feed.run()
      assert.equal(sent.at(-1), '#3')
    })
  })

  suiteOnEmptyLog('a feed at work', () => {
    test('stops between batches once the service stops', async () => {
      for (let count = 0; count < 22; count += 1) {
        await audit.append('a')
        await audit.checkpoint()
      }
      const stop = new AbortController()
      const { feed, offsets, state } = feedOf({ takesRecords: false })
      state.onSend = () => stop.abort()
      await feed.run(stop.signal)
      assert.deepEqual(
        offsets.map(({ number }) => number),
        [20],
      )
    })
  })
})
