// A database makes a difference: how a record goes with the commit of its change.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { digest } from '../../src/core/crypto/digest.ts'
import { committing } from '../../src/core/database/commit.ts'
import type { Database, DatabaseOrTransaction } from '../../src/core/database/database.ts'
import { TransactionConflict } from '../../src/core/database/errors.ts'
import { inSnapshot } from '../../src/core/database/snapshot.ts'
import { lockName, transact } from '../../src/core/database/transactions.ts'
import { inContext } from '../../src/core/events/context.ts'
import { createLog } from '../../src/core/runtime/deps.ts'
import { eventsOf } from '../../src/core/runtime/sinks.ts'
import { createAudit } from '../../src/modules/audit/audit.ts'
import { typedName } from '../../src/modules/audit/persons.ts'
import { readAuditKeys } from '../../src/modules/keys/audit-keys.ts'
import { type TestApp, testApp } from '../app.ts'
import { assertChainsWhole, auditRecords, recordTold } from '../audit-chains.ts'
import { refuseChanges } from '../database.ts'
import { testEvent } from '../events.ts'
import { payloadOf } from '../forge.ts'
import { assertRefusal } from '../refusal.ts'
import { usersOfIds } from '../users-of-ids.ts'

const noted = testEvent<{ user_id?: number; note: string }>('noted')
const refused = testEvent<{ note: string }>('refused', 'warn')
const json = { name: 'Vera', email: 'vera@example.org' }
const agent = 'browser of a test/1.0'

const last = async (app: TestApp, type: string) => {
  const found = (await auditRecords(app)).filter((record) => record.type === type)
  const record = found.at(-1)
  assert.ok(record, type)
  return record
}

/** A database whose transactions are committed, while the answer does not arrive. */
function withoutAnswers(db: Database): { readonly db: Database; answers: boolean } {
  const lossy = {
    answers: false,
    db: new Proxy(db, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target)
        // Bound, because a proxy has no private fields.
        if (name !== 'transaction') return typeof value === 'function' ? value.bind(target) : value
        return () => ({
          async execute<T>(work: (trx: DatabaseOrTransaction) => Promise<T>) {
            const result = await target.transaction().execute(work)
            if (!lossy.answers) throw new Error('the answer is lost')
            return result
          },
        })
      },
    }),
  }
  return lossy
}

suite('a record has every field, and names persons in sealed ones alone', async () => {
  const app = await testApp({ TRUST_PROXY: '10.0.0.0/8' })
  const maria = await app.account('maria')
  const from = '10.0.0.9'
  const forwarded = { 'x-forwarded-for': '198.51.100.7, 10.0.0.4', 'user-agent': agent }

  test('a change by an administrator', async () => {
    const headers = { ...(await app.session(app.admin)), ...forwarded }
    const path = '/api/admin/accounts/maria'
    const answer = await app.call('PUT', path, { headers, from, json: { active: false } })
    assert.equal(answer.status, 200)
    const record = await last(app, 'privilege_permissions_changed')
    assert.match(record.id, /^[0-9A-HJKMNP-TV-Z]{26}$/)
    assert.deepEqual(
      [record.at, record.level, record.outcome, record.reason, record.request_id],
      [app.clock.now(), 'info', 'success', null, answer.headers['x-request-id']],
    )
    const { instance, version, ...plain } = record.plain
    assert.match(String(instance), /\/\d+$/)
    assert.match(String(version), /^\d+\.\d+\.\d+/)
    assert.deepEqual(plain, {
      actor: 'user',
      scheme: 'session',
      factors: ['pwd'],
      method: 'PUT',
      route: '/api/admin/accounts/:username',
      status: 200,
    })
    const { session, ...actor } = record.actor ?? {}
    assert.deepEqual(actor, {
      subject: '1',
      username: 'admin',
      address: '198.51.100.7',
      proxies: ['10.0.0.9', '10.0.0.4'],
      user_agent: agent,
    })
    const stored = await app.deps.db.selectFrom('sessions').select('id').execute()
    assert.ok(stored.some(({ id }) => id === session))
    assert.deepEqual(record.target, {
      user_id: maria.userId,
      username: 'maria',
      roles: ['USER'],
      locked: false,
      active: false,
    })
    assert.notEqual(record.actor_key, record.target_key)
    await app.call('PUT', path, { headers, from, json: { active: true } })
  })

  test('a login: its actor is the person who has proved it', async () => {
    const call = { form: { ...maria, mode: 'token', userId: '' }, from, headers: forwarded }
    const answer = await app.call('POST', '/login', call)
    assert.equal(answer.status, 200)
    const record = await last(app, 'authn_login_success')
    assert.deepEqual([record.plain.actor, record.plain.status], ['user', 200])
    assert.equal(record.actor?.subject, String(maria.userId))
    assert.deepEqual(record.target, { user_id: maria.userId })
    assert.equal(record.actor_key, record.target_key)
  })

  test('a token is named by the digest of its jti', async () => {
    const secret = await app.token(app.admin)
    const headers = { authorization: `Bearer ${secret}`, ...forwarded }
    await app.call('POST', '/users', { headers, from, json })
    const { actor, plain } = await last(app, 'user_created')
    assert.match(String(actor?.token), /^[\w-]{43}$/)
    assert.deepEqual([plain.scheme, plain.factors], ['bearer', ['pwd']])
    const rows = await app.deps.db.selectFrom('audit_records').selectAll().execute()
    const opened = JSON.stringify([rows, await auditRecords(app)])
    for (const text of [secret, ...secret.split('.')]) assert.ok(!opened.includes(text))
  })

  test('a failed login: the target is its account, and the key of the service seals the address', async () => {
    const form = { username: 'maria', password: 'not that of maria', mode: 'token' }
    const answer = await app.call('POST', '/login', { form, from, headers: forwarded })
    assertRefusal(answer, 401, 'Invalid credentials')
    await recordTold(app)
    const record = await last(app, 'authn_login_fail')
    assert.deepEqual(
      [record.outcome, record.level, record.plain.actor, record.plain.status, record.actor_index],
      ['failure', 'warn', 'unknown', 401, null],
    )
    assert.equal(record.reason, 'wrong_password')
    assert.equal(record.actor_key, 'service')
    assert.equal(record.actor?.address, '198.51.100.7')
    assert.deepEqual(record.target, { user_id: maria.userId, username: 'maria' })
    const success = (await auditRecords(app)).find(
      ({ type, target }) => type === 'authn_login_success' && target?.user_id === maria.userId,
    )
    assert.ok(success)
    assert.deepEqual(success.plain.factors, ['pwd'])
    assert.equal(success.actor?.username, 'maria')
    assert.equal(record.target_index, success.target_index)
    assert.equal(record.address_index, success.address_index)
  })

  test('a login names its user, its factors and what it gave, by which later records are found', async () => {
    const nora = await app.account('nora')
    const form = { username: nora.username, password: nora.password, mode: 'pair' }
    const { access_token } = (await app.call('POST', '/login', { form, from })).body
    const session = await app.session(nora)
    const headers = { authorization: `Bearer ${access_token}` }
    await app.call('POST', '/logout', { headers, from })
    await app.call('POST', '/logout', { headers: { cookie: session.cookie }, from })
    const created = await last(app, 'authn_token_created')
    const [revoked, begun, ended] = [
      await last(app, 'authn_token_revoked'),
      await last(app, 'session_created'),
      await last(app, 'session_ended'),
    ]
    const { jti } = payloadOf(String(access_token))
    assert.deepEqual(
      [created.actor?.token, revoked.actor?.token],
      [digest(String(jti)), digest(String(jti))],
    )
    assert.match(String(begun.actor?.session), /^[\w-]{43}$/)
    assert.equal(ended.actor?.session, begun.actor?.session)
    for (const { actor } of [created, revoked, begun]) assert.equal(actor?.username, 'nora')
    for (const { plain } of [created, begun]) assert.deepEqual(plain.factors, ['pwd'])
    for (const record of [revoked, ended]) assert.equal(record.target_index, created.target_index)
  })

  test('an unknown name is kept as a keyed digest of what was typed, and as nothing else', async () => {
    const typed = 'my password in the wrong field'
    const form = { username: typed.toUpperCase(), password: 'x', mode: 'token' }
    await app.call('POST', '/login', { form, from })
    await recordTold(app)
    const record = await last(app, 'authn_login_fail')
    const keys = await readAuditKeys(app.deps.db, app.deps)
    const expected = typedName(keys.index, typed)
    assert.deepEqual(record.target, { user_id: null, typed: expected })
    assert.equal(record.target_index, expected)
    const whole = JSON.stringify([await auditRecords(app), app.log]).toLowerCase()
    assert.ok(!whole.includes(typed))
  })

  test('no column tells a name, an address or a program in the clear', async () => {
    await recordTold(app)
    const rows = JSON.stringify(await app.deps.db.selectFrom('audit_records').selectAll().execute())
    for (const text of ['maria', '198.51.100.7', '10.0.0', agent, 'vera', '"1"']) {
      assert.ok(!rows.includes(text), text)
    }
  })

  test('the command line and a job are no persons', async () => {
    const { db, events } = app.deps
    for (const by of ['cli', 'job'] as const) {
      await inContext(by, () =>
        transact(db, [], (trx) => events.emitInTransaction(trx, noted, { note: by })),
      )
      const { actor, actor_key, plain, target } = await last(app, 'noted')
      assert.deepEqual([actor, actor_key], [{ subject: by }, 'service'])
      assert.deepEqual([plain.actor, target], [by, { note: by }])
    }
  })
})

suite('a change and its record: both or none', async () => {
  const app = await testApp()
  const { db, events, asyncCommitDb } = app.deps
  const headers = await app.bearer(app.admin)
  const count = async () => (await db.selectFrom('audit_records').select('id').execute()).length

  test('a record that cannot be inserted undoes the change, with 503 and without an event', async () => {
    const allow = await refuseChanges(app, 'insert on audit_records')
    const [before, lines] = [await app.rows(), app.log.length]
    const answer = await app.call('POST', '/users', { headers, json })
    assertRefusal(answer, 503, 'Service unavailable')
    const form = { username: 'admin', password: app.admin.password, mode: 'token' }
    assertRefusal(await app.call('POST', '/login', { form }), 503, 'Service unavailable')
    const { throttle_places: _, ...now } = await app.rows()
    const { throttle_places: __, ...then } = before
    assert.deepEqual(now, then)
    assert.deepEqual(
      app.log.slice(lines).filter(({ event }) => event !== undefined),
      [],
    )
    await allow()
    assert.equal((await app.call('POST', '/users', { headers, json })).status, 201)
    await auditRecords(app)
  })

  test('a chain that another process has written is left after one refused change', async () => {
    const change = (note: string) =>
      transact(db, [], (trx) => events.emitInTransaction(trx, noted, { note }))
    await change('before')
    const { plain: _, actor: __, target: ___, number: ____, ...row } = await last(app, 'noted')
    const forged = { ...row, place: row.place + 1 }
    await db.insertInto('audit_records').values(forged).execute()
    await assert.rejects(change('refused'), { name: 'CommitRefused' })
    await change('after')
    await db
      .deleteFrom('audit_records')
      .where('chain', '=', row.chain)
      .where('place', '>', row.place)
      .execute()
    assert.notEqual((await last(app, 'noted')).chain, row.chain)
  })

  test('without the key of a person there is no record, and no change', async () => {
    const allow = await refuseChanges(app, 'insert on audit_subjects')
    const before = await app.rows()
    const answer = await app.call('POST', '/users', { headers, json })
    assertRefusal(answer, 503, 'Service unavailable')
    assert.deepEqual(await app.rows(), before)
    await allow()
  })

  test('a rollback leaves no record, no chain and no key', async () => {
    await usersOfIds(db, 77, 77)
    const before = [await count(), await app.rows()]
    const undone = transact(db, [], async (trx) => {
      await events.emitInTransaction(trx, noted, { user_id: 77, note: 'undone' })
      throw new Error('no')
    })
    await assert.rejects(undone, /^Error: no$/)
    assert.deepEqual([await count(), await app.rows()], before)
    const keys = await db
      .selectFrom('audit_subjects')
      .select('subject')
      .where('subject', '=', '77')
      .execute()
    assert.deepEqual(keys, [])
    await transact(db, [], (trx) =>
      events.emitInTransaction(trx, noted, { user_id: 77, note: 'done' }),
    )
    assert.deepEqual((await last(app, 'noted')).target, { user_id: 77, note: 'done' })
  })

  test('an attempt that is begun anew is recorded once', async () => {
    let attempts = 0
    await transact(db, [], async (trx) => {
      attempts += 1
      await events.emitInTransaction(trx, noted, { note: `attempt ${attempts}` })
      if (attempts < 3) throw new TransactionConflict({ cause: null })
    })
    const notes = (await auditRecords(app)).flatMap(({ target }) => target?.note ?? [])
    assert.deepEqual(
      notes.filter((note) => String(note).startsWith('attempt')),
      ['attempt 3'],
    )
  })

  test('several events of a transaction follow each other on one chain, in one insert', async () => {
    await transact(asyncCommitDb, [lockName.account(1)], async (trx) => {
      for (let at = 1; at <= 40; at += 1)
        await events.emitInTransaction(trx, noted, { note: `many ${at}` })
    })
    const many = (await auditRecords(app)).filter(({ target }) =>
      String(target?.note).startsWith('many'),
    )
    assert.deepEqual(
      many.map(({ target }) => target?.note),
      Array.from({ length: 40 }, (_, index) => `many ${index + 1}`),
    )
    const [first] = many
    assert.ok(first)
    assert.deepEqual(
      many.map(({ chain, place }) => [chain, place]),
      many.map((_, index) => [first.chain, first.place + index]),
    )
  })

  test('a commit whose answer is lost leaves its chain, and the next record stands on another', async () => {
    const { chain: before } = await last(app, 'noted')
    const lossy = withoutAnswers(db)
    const note = (text: string) => (trx: DatabaseOrTransaction) =>
      events.emitInTransaction(trx, noted, { note: text })
    await assert.rejects(committing(lossy.db, note('no answer')), /the answer is lost/)
    assert.equal((await last(app, 'noted')).chain, before)
    await transact(db, [], note('next'))
    assert.notEqual((await last(app, 'noted')).chain, before)
  })

  test('without an audit log, no event is recorded and nothing is changed', async () => {
    const alone = eventsOf({ clock: app.clock, log: createLog('silent') })
    const before = await app.rows()
    const work = transact(db, [], async (trx) => {
      await trx
        .insertInto('users')
        .values({ ...json, name_key: 'v', email_key: 'v' })
        .execute()
      await alone.emitInTransaction(trx, noted, { note: 'none' })
    })
    await assert.rejects(work, /^Error: the event noted has no audit log that records it$/)
    assert.deepEqual(await app.rows(), before)
  })

  test('what is only read is not recorded, and a refusal in a transaction neither', async () => {
    const before = await count()
    await inSnapshot(db, (trx) => trx.selectFrom('users').select('id').execute())
    await app.call('GET', '/users', { headers })
    const match = { ...headers, 'if-match': '"other"' }
    const answer = await app.call('PUT', '/users/1', { headers: match, json })
    assertRefusal(answer, 412, 'Precondition failed')
    assert.equal(await count(), before)
  })
})

suite('many writers at once', async () => {
  const app = await testApp()
  const { db, events } = app.deps

  test('50 of them with rollbacks and conflicts in between: every chain is whole', async () => {
    const other = await testApp({}, { directory: app.directory, clock: app.clock })
    await usersOfIds(db, 100, 108)
    let committed = 0
    const writer = async (number: number) => {
      const { deps } = number % 2 === 0 ? app : other
      for (let round = 0; round < 6; round += 1) {
        const fate = (number * 7 + round * 5) % 4
        const attempt = transact(deps.db, [], async (trx) => {
          await deps.events.emitInTransaction(trx, noted, {
            user_id: 100 + (number % 9),
            note: 'one',
          })
          await trx.selectFrom('users').select('id').execute()
          if (fate === 0) throw new Error('rolled back')
          await deps.events.emitInTransaction(trx, noted, {
            user_id: 100 + (round % 5),
            note: 'two',
          })
        })
        if (fate === 0) await assert.rejects(attempt, /rolled back/)
        else {
          await attempt
          committed += 2
        }
        deps.events.emit(refused, { note: `told ${number} ${round}` })
      }
    }
    await Promise.all(Array.from({ length: 50 }, (_, number) => writer(number)))
    await recordTold(app)
    await recordTold(other)
    const records = await auditRecords(app)
    assert.equal(records.filter(({ type }) => type === 'noted').length, committed)
    assert.equal(records.filter(({ type }) => type === 'refused').length, 300)
    const keys = await readAuditKeys(db, app.deps)
    const chains = await assertChainsWhole(db, keys)
    assert.ok(chains <= 60, `${chains} chains`)
    // Each person has one key, whichever process needed it first.
    const pseudonyms = new Map(records.map((one) => [one.target?.user_id, one.target_key]))
    for (const { target, target_key } of records) {
      if (target?.user_id !== undefined) {
        assert.equal(target_key, pseudonyms.get(target.user_id))
      }
    }
    await other.close()
  })

  test('a chain that is idle for an hour is closed, and so is that of a killed process', async () => {
    await transact(db, [], (trx) => events.emitInTransaction(trx, noted, { note: 'before' }))
    const { chain } = await last(app, 'noted')
    const left = { chain: 'left', instance: 'gone/1', version: '0.0.0', opened_at: 5 }
    await db.insertInto('audit_chains').values(left).execute()
    const close = () => app.app.jobs.find(({ name }) => name === 'audit chains')?.run()
    const open = async () => {
      const rows = db.selectFrom('audit_chains').select('chain').where('closed_at', 'is', null)
      return (await rows.execute()).map((row) => row.chain)
    }
    await close()
    assert.ok((await open()).includes(chain))
    assert.ok(!(await open()).includes('left'))
    await db.deleteFrom('audit_chains').where('chain', '=', 'left').execute()
    app.clock.advance(3601)
    await close()
    assert.ok(!(await open()).includes(chain))
    await transact(db, [], (trx) => events.emitInTransaction(trx, noted, { note: 'after' }))
    assert.notEqual((await last(app, 'noted')).chain, chain)
  })
})

suite('events without a change', async () => {
  const app = await testApp()
  const { db, events } = app.deps
  const notes = async () =>
    (await auditRecords(app))
      .filter(({ type }) => type === 'refused')
      .map((one) => one.target?.note)

  test('wait for the database in their order, and are recorded once it takes them', async () => {
    const allow = await refuseChanges(app, 'insert on audit_records')
    for (let at = 1; at <= 100; at += 1) events.emit(refused, { note: String(at) })
    await recordTold(app)
    await recordTold(app)
    assert.deepEqual(await notes(), [])
    const errors = app.log.filter(({ msg }) => msg === 'events wait for the database')
    assert.equal(errors.length, 1, 'told once')
    await allow()
    await recordTold(app)
    assert.deepEqual(await notes(), [], 'not before a second has passed')
    app.clock.advance(1)
    await recordTold(app)
    assert.deepEqual(
      await notes(),
      Array.from({ length: 100 }, (_, index) => String(index + 1)),
    )
  })

  test('one that can never be recorded holds up no other, and is told as lost', async () => {
    const odd = testEvent<{ note: number }>('odd', 'warn')
    events.emit(odd, { note: Number.NaN }) // no JSON
    await recordTold(app)
    app.clock.advance(1)
    events.emit(refused, { note: 'behind' })
    events.emit(odd, { note: Number.NaN })
    events.emit(refused, { note: 'behind both' })
    await recordTold(app)
    assert.deepEqual((await notes()).slice(-2), ['behind', 'behind both'])
    await recordTold(app)
    assert.equal((await last(app, 'audit_records_lost')).plain.count, 2)
    const errors = app.log.filter(({ types }) => types !== undefined)
    assert.deepEqual(
      errors.map(({ types }) => types),
      [['odd']],
    )
  })

  test('a batch whose commit had no answer is not recorded twice', async () => {
    const fresh = eventsOf({ clock: app.clock, log: createLog('silent') })
    const lossy = withoutAnswers(db)
    const audit = createAudit({ ...app.deps, events: fresh, db: lossy.db })
    fresh.emit(refused, { note: 'doubtful' })
    await audit.run()
    assert.equal(audit.state().waiting, 1)
    lossy.answers = true
    app.clock.advance(1)
    await audit.run()
    assert.deepEqual(
      (await notes()).filter((note) => note === 'doubtful'),
      ['doubtful'],
    )
    assert.equal(audit.state().waiting, 0)
  })

  test('what was told before the service has a database is recorded as well', async () => {
    const early = eventsOf({ clock: app.clock, log: createLog('silent') })
    early.emit(refused, { note: 'early' })
    const audit = createAudit({ ...app.deps, events: early })
    await audit.close()
    assert.ok((await notes()).includes('early'))
  })

  test('at its end the service records what waits, and closes its chains', async () => {
    const one = await testApp({}, { directory: app.directory, clock: app.clock })
    one.deps.events.emit(refused, { note: 'last words' })
    await one.close()
    assert.ok((await notes()).includes('last words'))
    const { chain } = await last(app, 'refused')
    const row = db.selectFrom('audit_chains').select('closed_at').where('chain', '=', chain)
    assert.equal((await row.executeTakeFirstOrThrow()).closed_at, app.clock.now())
  })
})
