// A database makes a difference: leases are judged by its clock, and a thread has connections of its own.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { databaseTime } from '../../src/core/database/database-time.ts'
import { leaseMs, runQueue } from '../../src/core/runs/runs.ts'
import type { VerificationRow } from '../../src/modules/audit/verify/run-store.ts'
import { type TestApp, testApp } from '../app.ts'
import { proofOf, recordEvents } from '../audit-log.ts'
import { assertRefusal } from '../refusal.ts'

const path = '/api/admin/audit/verification'

const jobOf = (app: TestApp) => {
  const job = app.app.jobs.find(({ name }) => name === 'audit verification')
  return job ?? assert.fail('no job')
}

test('a verification reads a log that has no checkpoints outside yet', async () => {
  const app = await testApp()
  const headers = await app.bearer(app.admin)
  await recordEvents(app.deps, 2)
  assert.equal((await app.call('POST', path, { headers })).status, 202)
  await jobOf(app).run()
  const { last } = (await app.call('GET', path, { headers })).body
  assert.deepEqual([last.state, last.detail, last.result.ok], ['done', null, true])
  assert.ok(last.result.checked.records > 2)
  assert.equal(existsSync(app.deps.config.audit.checkpointsFile), false)
})

suite('a verification of the audit log over HTTP', async () => {
  const app = await testApp()
  const headers = await app.bearer(app.admin)
  const ask = async () => {
    const { body, status, text } = await app.call('POST', path, { headers })
    assert.equal(status, 202, text)
    return body
  }
  const look = async () => (await app.call('GET', path, { headers })).body

  test('before the first one there is none, and no checkpoint', async () => {
    const { last_checkpoint, open, last } = await look()
    assert.deepEqual([last_checkpoint, open, last], [null, null, null])
    await jobOf(app).run() // it has nothing to do
    assert.equal((await look()).last, null)
  })

  test('one that is asked for waits, is made by the job, and stays as the last', async () => {
    await recordEvents(app.deps, 2100)
    const proof = await proofOf(app.deps)
    await proof.run()
    await proof.sent()
    const asked = await ask()
    assert.deepEqual([asked.state, asked.result, asked.records], ['waiting', null, 0])
    assert.equal((await ask()).id, asked.id) // it waits already
    assert.equal((await look()).open.id, asked.id)
    await jobOf(app).run()
    const { last, last_checkpoint, open } = await look()
    assert.equal(open, null)
    assert.deepEqual([last.id, last.state, last.detail], [asked.id, 'done', null])
    const { checked, ok, problem_count } = last.result
    assert.deepEqual([ok, problem_count], [true, 0])
    assert.ok(checked.checkpoints >= 1)
    assert.ok(checked.records > 2100 && last.records === checked.records)
    assert.ok(checked.outside >= 1) // lines of the file in DATA_DIR, which the sink has written
    assert.ok(existsSync(app.deps.config.audit.checkpointsFile))
    assert.equal(last_checkpoint.number, last.result.last_checkpoint.number)
  })

  test('it finds what was changed, and says what and where', async () => {
    const { db } = app.deps
    const row = await db
      .selectFrom('audit_records')
      .select(['number', 'chain', 'place', 'id'])
      .where('type', '=', 'user_updated')
      .orderBy('number')
      .limit(1)
      .executeTakeFirstOrThrow()
    await db
      .updateTable('audit_records')
      .set({ outcome: 'failure' })
      .where('number', '=', row.number)
      .execute()
    const { id } = await ask()
    const from = app.log.length
    await jobOf(app).run()
    const { last } = await look()
    assert.deepEqual([last.id, last.state, last.result.ok], [id, 'done', false])
    assert.deepEqual(last.result.first, {
      what: 'changed',
      ...row,
      detail:
        'the record is not what was written at this place: it was changed, swapped or inserted',
    })
    const [event] = app.log.slice(from).filter(({ event }) => event === 'audit_integrity_failed')
    assert.deepEqual([event?.verification, event?.problems, event?.by], [id, 1, 'job'])
    await db
      .updateTable('audit_records')
      .set({ outcome: 'success' })
      .where('number', '=', row.number)
      .execute()
  })

  test('of two nodes one makes it', async () => {
    const { id } = await ask()
    await Promise.all([jobOf(app).run(), jobOf(app).run()])
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from audit_verifications where id = ${id} and state = 'done'`.execute(
      app.deps.db,
    )
    assert.equal(Number(rows[0]?.count), 1)
    assert.equal((await look()).last.result.ok, true)
  })

  test('a stop gives it back, and another process makes it', async () => {
    const { id } = await ask()
    const stop = new AbortController()
    stop.abort()
    await jobOf(app).run(stop.signal)
    assert.deepEqual([(await look()).open.id, (await look()).open.state], [id, 'waiting'])
    await jobOf(app).run()
    assert.deepEqual([(await look()).last.id, (await look()).last.state], [id, 'done'])
  })

  test('one of a node that is gone is taken over when its lease of 30 seconds is over', async () => {
    const { id } = await ask()
    const { clock, db } = app.deps
    const runsAt = async (leftMs: number) => {
      const locked_until = (await databaseTime(db, clock)) + leftMs
      const gone = { state: 'running', node: 'auth-2', started_at: 1, locked_until } as const
      await db.updateTable('audit_verifications').set(gone).where('id', '=', id).execute()
    }
    await runsAt(leaseMs - 1000)
    assert.equal((await ask()).id, id) // it seems to run
    await jobOf(app).run()
    assert.deepEqual([(await look()).open.node, (await look()).open.state], ['auth-2', 'running'])
    await runsAt(0)
    await jobOf(app).run()
    const { last, open } = await look()
    assert.deepEqual([open, last.id, last.state, last.detail], [null, id, 'done', null])
    assert.equal(last.result.ok, true)
    assert.notEqual(last.node, 'auth-2')
  })

  test('one that ends a second process has failed, and the next is not held up', async () => {
    const { id } = await ask()
    const detail = 'the node auth-2 ended before the log was verified'
    const gone = {
      state: 'running',
      node: 'auth-2',
      started_at: 1,
      locked_until: 1,
      detail,
    } as const
    await app.deps.db.updateTable('audit_verifications').set(gone).where('id', '=', id).execute()
    await jobOf(app).run()
    const { last, open } = await look()
    assert.deepEqual(
      [open, last.id, last.state, last.result, last.detail],
      [null, id, 'failed', null, detail],
    )
    assert.ok((await ask()).id > id)
    await jobOf(app).run()
    assert.equal((await look()).last.state, 'done')
  })

  test('a process that stood still changes nothing of a verification that another has taken over', async () => {
    const { id } = await ask()
    const { db } = app.deps
    const queue = runQueue<VerificationRow>('audit_verifications')(db)
    const claim = async (started_at: number) =>
      (await queue.claim(1, { started_at }, sql`id = ${id}`)) ?? assert.fail('it is not free')
    const late = await claim(1000)
    assert.equal(await queue.retry(late, 0), true)
    const owner = await claim(2000)
    const before = await db.selectFrom('audit_verifications').selectAll().execute()
    assert.deepEqual(
      [
        await queue.renew(late, 9, { records: 1 }),
        await queue.end(late, { state: 'failed', detail: 'late' }),
        await queue.end(late, { state: 'done', result: '{}' }),
        await queue.retry(late, 0),
      ],
      [false, false, false, false],
    )
    assert.deepEqual(await db.selectFrom('audit_verifications').selectAll().execute(), before)
    assert.equal(await queue.retry(owner, 0), true)
    await jobOf(app).run()
    assert.deepEqual([(await look()).last.id, (await look()).last.state], [id, 'done'])
  })

  test('the service answers while a log is verified', async () => {
    await recordEvents(app.deps, 3000, { together: 100 })
    await ask()
    let isDone = false
    const verifying = Promise.resolve(jobOf(app).run()).then(() => {
      isDone = true
    })
    let answers = 0
    while (!isDone) {
      assert.equal((await app.call('GET', '/health/live')).status, 200)
      answers += 1
      await setImmediate() // an answer may wait for nothing, and the thread is heard here
    }
    await verifying
    assert.ok(answers > 5, `${answers} answers`)
  })

  test('old ones go, and the last one stays', async () => {
    const purge = app.app.jobs.find(({ name }) => name === 'old audit verifications')
    await app.deps.db.updateTable('audit_verifications').set({ asked_at: 1 }).execute()
    const { last } = await look()
    await purge?.run()
    const left = await app.deps.db.selectFrom('audit_verifications').select('id').execute()
    assert.deepEqual(left, [{ id: last.id }])
  })

  test('a caller who is no ADMIN gets none, and asks for none', async () => {
    const editor = await app.bearer(await app.account('edith', ['EDITOR']))
    for (const method of ['GET', 'POST']) {
      assertRefusal(await app.call(method, path, { headers: editor }), 403, 'Access denied')
    }
    assert.equal((await look()).open, null)
  })
})
