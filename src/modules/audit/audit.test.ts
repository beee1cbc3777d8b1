// A database makes a difference: chains are rows of a table.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { storedAudit, suitesOnEmptyLog } from '../../../test/stored-audit.ts'
import { storedAuditKeys } from '../../../test/stored-audit-keys.ts'
import type { Database, DatabaseOrTransaction } from '../../core/database/database.ts'
import { DatabaseUnavailable } from '../../core/database/errors.ts'
import { transact } from '../../core/database/transactions.ts'
import type { RecordedEvent } from '../../core/events/events.ts'
import { type AuditDeps, createAudit } from './audit.ts'
import { auditRecordsLost } from './events.ts'

suite('the audit log of a process', async () => {
  const audit = await storedAudit()
  const { db, random, start } = audit
  const { config } = await storedAuditKeys(db, random)
  const hour = 3_600_000
  let time = start
  const suiteOnEmptyLog = suitesOnEmptyLog(audit, () => {
    time = start
  })

  type Attached = Parameters<AuditDeps['events']['attach']>[0]
  function logOf(on: Database = db) {
    const lines: string[] = []
    const attached: Attached[] = []
    const emitted: unknown[] = []
    const note = (_: object, text: string) => lines.push(text)
    const log = createAudit({
      ...{ config, random, db: on, clock: { now: () => time }, log: { error: note, warn: note } },
      events: {
        attach: (one: Attached) => attached.push(one),
        emit: (...given: unknown[]) => emitted.push(given),
      },
    } as unknown as AuditDeps) // what is used
    const [{ enqueue, record } = assert.fail()] = attached
    return { emitted, enqueue, lines, log, record }
  }
  const event = (payload: object = {}) => {
    const context = { by: 'cli', address: null, scheme: null, requestId: null, request: null }
    const type = { name: 'n', level: 'info', outcome: 'success' }
    return { type, payload, context, at: time } as unknown as RecordedEvent // what is read
  }
  const chains = async () =>
    (
      await db
        .selectFrom('audit_chains')
        .select(['chain', 'closed_at'])
        .orderBy('opened_at')
        .execute()
    ).map(({ closed_at }) => closed_at)
  const count = async () => (await db.selectFrom('audit_records').select('id').execute()).length
  const away = new Proxy(db, {
    get() {
      throw new DatabaseUnavailable('away')
    },
  })

  suiteOnEmptyLog('events', () => {
    test('with a change and without stand on different chains, and are counted', async () => {
      const { enqueue, log, record } = logOf()
      const committed: [number, number][] = []
      log.onCommitted((...given) => committed.push(given))
      await transact(db, [], async (trx) => record(trx, event()))
      time += 5
      enqueue(event())
      enqueue(event())
      await log.flush()
      assert.deepEqual([await count(), (await chains()).length], [3, 2])
      assert.deepEqual(committed, [
        [1, start],
        [2, start + 5],
      ])
    })

    test('that cannot be written wait, with a line in the log', async () => {
      const { enqueue, lines, log } = logOf(away)
      enqueue(event())
      await log.flush()
      await log.run()
      assert.deepEqual(lines, [
        'events were not recorded in the audit log',
        'events wait for the database',
      ])
      assert.deepEqual(log.state().waiting, 1)
    })
  })

  suiteOnEmptyLog('failures', () => {
    test('whose commit succeeded without an answer are written once', async () => {
      let isLost = true
      const losing = new Proxy(db, {
        get(target, name) {
          const found = Reflect.get(target, name)
          if (name !== 'transaction' || !isLost) {
            return typeof found === 'function' ? found.bind(target) : found
          }
          const execute = async (work: (trx: DatabaseOrTransaction) => Promise<unknown>) => {
            await db.transaction().execute(work)
            throw new DatabaseUnavailable('the answer was lost')
          }
          return () => ({ execute })
        },
      })
      const { enqueue, log } = logOf(losing)
      enqueue(event())
      await log.flush()
      assert.deepEqual([await count(), log.state().waiting], [1, 1])
      isLost = false
      time += 1
      enqueue(event())
      await log.flush()
      assert.deepEqual([await count(), log.state().waiting], [2, 0])
    })

    test('that can never be written are lost, with a line in the log and an event', async () => {
      const { emitted, enqueue, lines, log } = logOf()
      for (const payload of [{ a: Number.NaN }, {}]) enqueue(event(payload))
      await log.flush()
      const refused = 'the audit log refuses events that wait: they are lost'
      assert.deepEqual([await count(), lines], [1, [refused]])
      assert.deepEqual(emitted, [[auditRecordsLost, { count: 1 }]])
      assert.deepEqual(log.state(), { waiting: 0, oldestMs: 0, lost: 1 })
    })
  })

  suiteOnEmptyLog('chains', () => {
    test('are closed after an hour without a record', async () => {
      const { enqueue, log } = logOf()
      enqueue(event())
      await log.flush()
      time += hour
      await log.closeLeft()
      assert.deepEqual(await chains(), [null])
      time += 1
      await log.closeLeft()
      assert.deepEqual(await chains(), [time])
    })

    test('of other processes are closed after two hours, a hundred at once', async () => {
      for (let at = 0; at < 101; at += 1) await audit.open(`${at}`)
      const { log } = logOf()
      time += 2 * hour
      await log.closeLeft()
      assert.equal((await chains()).filter(Boolean).length, 0)
      time += 1
      await log.closeLeft()
      assert.equal((await chains()).filter(Boolean).length, 100)
      await log.closeLeft()
      assert.deepEqual(new Set(await chains()), new Set([time]))
    })

    test('are closed at the end, after the events that wait', async () => {
      const { enqueue, lines, log, record } = logOf()
      await transact(db, [], async (trx) => record(trx, event()))
      enqueue(event())
      await log.close()
      assert.deepEqual([await count(), await chains(), lines], [2, [time, time], []])
    })

    test('stay open without a database, with a line in the log', async () => {
      let isAway = false
      const sometimes = new Proxy(db, {
        get(target, name) {
          if (isAway) throw new DatabaseUnavailable('away')
          const found = Reflect.get(target, name)
          return typeof found === 'function' ? found.bind(target) : found
        },
      })
      const { enqueue, lines, log } = logOf(sometimes)
      enqueue(event())
      await log.flush()
      isAway = true
      await log.close()
      await setImmediate()
      assert.deepEqual(lines, ['the chains of the audit log stay open'])
      assert.deepEqual(await chains(), [null])
    })
  })
})
