// A database makes a difference: each attack is statements, and the lists of keys travel with its rows.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '../../src/core/database/database.ts'
import { transact } from '../../src/core/database/transactions.ts'
import { newSubjectKey, pseudonymOf, sealSubjectKey } from '../../src/modules/audit/persons.ts'
import { createSubjectKeys } from '../../src/modules/audit/subject-keys.ts'
import { readPersons } from '../../src/modules/audit/verify/indexes.ts'
import { testApp } from '../app.ts'
import {
  auditKeys,
  copyAudit,
  otherProcess,
  proofOf,
  recordEvents,
  replaceAudit,
  verified,
} from '../audit-log.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { erasePerson, keyOf, listsOf, runJob, whats } from '../erased-keys.ts'
import { usersOfIds } from '../users-of-ids.ts'

const quiet = { LOG_LEVEL: 'silent' }
const daySeconds = 86_400

suite('the removal of a user lists no key of somebody else that stands in the place of theirs', () => {
  const issuer = 'https://id.example.org'
  const put = {
    'the name of the key': async (db: Database, own: number, other: number, name: string) => {
      await sql`delete from audit_subjects where subject = ${String(other)}`.execute(db)
      await sql`update audit_subjects set pseudonym = ${name}
        where subject = ${String(own)}`.execute(db)
    },
    'the key, as that of an identity': async (db: Database, own: number, other: number) => {
      await db
        .insertInto('identities')
        .values({ user_id: own, issuer, subject: 'own', created_at: 1 })
        .execute()
      await sql`update audit_subjects set subject = ${`${issuer}#own`}
        where subject = ${String(other)}`.execute(db)
    },
  }

  for (const [what, change] of Object.entries(put)) {
    test(what, async () => {
      const app = await testApp(quiet)
      const { db } = app.deps
      const headers = await app.bearer(app.admin)
      const [own, other] = [await app.account('own'), await app.account('other')]
      const name = await keyOf(db, other)
      await change(db, own.userId, other.userId, name)
      const { status } = await app.call('DELETE', `/users/${own.userId}`, { headers })
      assert.equal(status, 200)
      assert.ok(!(await listsOf(db)).some(({ closed }) => closed.includes(name)))
      for (let step = 0; step < 5; step += 1) await runJob(app, 'erasures')
      const { problems } = await verified(app.deps)
      assert.match(
        problems.map(({ detail }) => detail).join('\n'),
        /the key of a person is gone, and no record of an erasure lists it/,
      )
    })
  }
})

suite('the key of a person that is erased while a transaction has read it', () => {
  test('is in no memory after the transaction', async () => {
    const { deps } = await testApp(quiet)
    const { db } = deps
    await usersOfIds(db, 1000, 1000)
    const keys = createSubjectKeys(deps.random)
    const { data } = await auditKeys(deps)
    const read = () => transact(db, [], (trx) => keys.of(trx, data, new Set(['1000'])))
    let name = ''
    await transact(db, [], async (trx) => {
      name = (await keys.of(trx, data, new Set(['1000']))).get('1000')?.pseudonym ?? ''
      keys.forget([name]) // the erasure is told before the commit
    })
    assert.notEqual(name, '')
    await db.deleteFrom('audit_subjects').where('subject', '=', '1000').execute()
    assert.notEqual((await read()).get('1000')?.pseudonym, name)
  })
})

suite('a person who is erased from the audit log without a record', async () => {
  const app = await testApp(quiet)
  const headers = await app.bearer(app.admin)
  const ann = await app.account('ann')
  const bob = await app.account('bob', ['EDITOR'])
  await app.session(ann)
  await app.session(bob)

  test('is found, by the command too, although the indexes were emptied', async () => {
    assert.deepEqual(await whats(app), [])
    const before = await copyAudit(app.deps.db)
    await erasePerson(app.deps.db, bob)
    const { first, problems } = await verified(app.deps)
    assert.equal(first?.what, 'erasure')
    assert.match(first.detail, /^the key of a person is gone, and no record of an erasure lists it/)
    const numbers = before.audit_records as { number: number; target_key: string }[]
    const bobs = (before.audit_subjects as { subject: string; pseudonym: string }[]).find(
      ({ subject }) => subject === String(bob.userId),
    )
    const mine = numbers.filter(({ target_key }) => target_key === bobs?.pseudonym)
    assert.equal(first.number, Math.min(...mine.map(({ number }) => number)))
    assert.match(
      problems.map(({ detail }) => detail).join('\n'),
      new RegExp(`the account of user ${bob.userId} exists and has signed in, and its key is gone`),
    )
    const ran = await gatehouse(app.directory, 'audit verify', { clock: app.clock })
    assert.equal(ran.code, 1, ran.stdout)
    assert.match(ran.stdout, /no record of an erasure lists it/)
    await replaceAudit(app.deps.db, before)
    assert.deepEqual(await whats(app), [])
  })

  test('is found if a row of erasures excuses it: the user is there', async () => {
    const other = await app.account('other')
    await app.deps.db
      .insertInto('erasures')
      .values({ user_id: other.userId, at: app.clock.now(), cleared_at: 1 })
      .execute()
    const { problems } = await verified(app.deps)
    assert.match(
      problems.map(({ detail }) => detail).join('\n'),
      new RegExp(`the key of user ${other.userId} was erased, although the user exists`),
    )
    await sql`delete from erasures`.execute(app.deps.db)
  })

  test('the record of a removal lists the keys of the account and of its identities', async () => {
    const { db } = app.deps
    const subject = 'https://id.example.org#ann'
    await db
      .insertInto('identities')
      .values({
        user_id: ann.userId,
        issuer: 'https://id.example.org',
        subject: 'ann',
        created_at: 1,
      })
      .execute()
    const key = newSubjectKey(app.deps.random)
    const ofIdentity = pseudonymOf(key)
    const { data } = await auditKeys(app.deps)
    const sealed = sealSubjectKey(app.deps.random, data, subject, key)
    await db
      .insertInto('audit_subjects')
      .values({ subject, pseudonym: ofIdentity, sealed })
      .execute()
    const name = await keyOf(db, ann)
    const { status } = await app.call('DELETE', `/users/${ann.userId}`, { headers })
    assert.equal(status, 200)
    const lists = (await listsOf(db)).filter(({ type }) => type === 'user_deleted')
    assert.deepEqual(
      lists.map(({ closed }) => closed.toSorted()),
      [[name, ofIdentity].toSorted()],
    )
  })

  test('a list that is changed, or added to another record, does not count', async () => {
    const { db } = app.deps
    const before = await copyAudit(db)
    const [list] = (await listsOf(db)).slice(-1)
    const name = await keyOf(db, bob)
    await erasePerson(db, bob)
    const change = async (closed: readonly string[]) => {
      const facts = sql`replace(facts, ${JSON.stringify(list?.closed)}, ${JSON.stringify(closed)})`
      await sql`update audit_records set facts = ${facts} where type = 'user_deleted'`.execute(db)
    }
    await change([...(list?.closed ?? []), name])
    const found = await whats(app)
    assert.ok(found.includes('changed') && found.includes('erasure'), found.join())
    await replaceAudit(db, before)
    assert.deepEqual(await whats(app), [])
  })

  test('a late record of a person who is gone lists the key that is stored nowhere', async () => {
    const lea = await app.account('lea')
    await app.call('DELETE', `/users/${lea.userId}`, { headers })
    await runJob(app, 'keys of erased persons')
    await app.call('POST', '/login', { json: { username: 'lea', password: 'wrong' } })
    await recordEvents(otherProcess(app.deps), 2)
    await runJob(app, 'erasures')
    app.clock.advance(601)
    await runJob(app, 'erasures')
    assert.deepEqual(await whats(app), [])
  })

  test('keys that are erased after their users have a record as well', async () => {
    const { db } = app.deps
    const ina = await app.account('ina')
    const name = await keyOf(db, ina)
    await db.deleteFrom('users').where('id', '=', ina.userId).execute()
    assert.deepEqual(await whats(app), [])
    app.clock.advance(2 * daySeconds)
    await runJob(app, 'keys of users who are gone')
    assert.deepEqual((await listsOf(db)).at(-1), { type: 'audit_keys_erased', closed: [name] })
    await runJob(app, 'erasures')
    assert.deepEqual(await whats(app), [])
  })

  test('more persons than are held in memory are judged alike', async () => {
    const { deps } = app
    const persons = await readPersons(deps.db, await auditKeys(deps), 1)
    const records = await deps.db.selectFrom('audit_records').selectAll().execute()
    await persons.load(records)
    const name = await keyOf(deps.db, bob)
    assert.equal(persons.get(name)?.name, name)
    assert.deepEqual(persons.broken, [])
    await persons.load([])
    const all = await deps.db.selectFrom('audit_subjects').select('pseudonym').execute()
    assert.equal(all.filter(({ pseudonym }) => persons.get(pseudonym)).length, 1)
  })
})

suite('the audit log emptied', () => {
  test('is found: all tables next to accounts, and the file beside them', async () => {
    const app = await testApp(quiet)
    const proof = await proofOf(app.deps)
    await recordEvents(app.deps, 5)
    await proof.run()
    await proof.sent()
    app.clock.advance(11) // the first checkpoint is outside by then
    const { checkpointsFile } = app.deps.config.audit
    const verify = () => gatehouse(app.directory, 'audit verify', { clock: app.clock })
    assert.equal((await verify()).code, 0)

    writeFileSync(checkpointsFile, '')
    const emptied = await verify()
    assert.equal(emptied.code, 1)
    assert.match(emptied.stderr, /the file outside has no checkpoint, although the database has/)

    const tables = ['records', 'chains', 'subjects', 'checkpoints', 'tombstones']
    for (const table of tables)
      await sql`delete from ${sql.table(`audit_${table}`)}`.execute(app.deps.db)
    const none = await verify()
    assert.equal(none.code, 1)
    assert.match(none.stderr, /the tables of the audit log are empty, although there is 1 account/)
  })

  test('fails in the background too, also by a file that is missing', async () => {
    const app = await testApp(quiet)
    const headers = await app.bearer(app.admin)
    const path = '/api/admin/audit/verification'
    const verify = async () => {
      assert.equal((await app.call('POST', path, { headers })).status, 202)
      await runJob(app, 'audit verification')
      const { last } = (await app.call('GET', path, { headers })).body
      return last.result
    }
    await recordEvents(app.deps, 5)
    const proof = await proofOf(app.deps, { checkpointsFile: join(app.directory, 'other') })
    await proof.run()
    assert.equal((await verify()).ok, true, 'a process that has begun writes the file first')
    app.clock.advance(11) // the first checkpoint is outside by then
    writeFileSync(app.deps.config.audit.checkpointsFile, '')
    const { first, ok } = await verify()
    assert.deepEqual([ok, first.what], [false, 'outside'])
  })
})
