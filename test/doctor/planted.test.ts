// A database makes a difference: what is planted are changes of its schema, its rows and its files.
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { sql } from 'kysely'
import { proofOf, recordEvents } from '../audit-log.ts'
import { connectTo, sqliteOnly, testDatabase } from '../database.ts'
import { type Deployment, deployment, examined, production } from './deployment.ts'

const json = (value: unknown) => `${JSON.stringify(value)}\n`
const passphrase = 'correct lamp seven harbour quiet orchard violin'

/** The findings with what they say and what to do. */
async function findings(own: Deployment, env: Readonly<Record<string, string>> = {}) {
  const { found, report } = await examined(own, '--inside', env)
  return { found, all: report.findings }
}

const minutesLater = (own: Deployment) => own.app.deps.clock.now() - 600_000

suite('doctor finds planted faults: files', () => {
  sqliteOnly('a DATA_DIR that others can write, also with the sticky bit', async () => {
    const own = await deployment(production)
    const { directory } = own.app
    for (const mode of [0o777, 0o1777, 0o707, 0o770]) {
      chmodSync(directory, mode)
      const { all, found } = await findings(own)
      assert.deepEqual(found, ['error file_modes'], mode.toString(8))
      assert.ok(all[0]?.what.startsWith(`${directory} has mode ${mode.toString(8)}: `))
      assert.equal(all[0]?.mend.setting, `chmod 700 ${directory}`)
    }
    chmodSync(directory, 0o755)
    assert.deepEqual((await findings(own)).found, [])
    chmodSync(directory, 0o700)
  })

  test('CLIENTS_FILE and FORWARD_AUTH_FILE that others can write, or replace', async () => {
    const own = await deployment(production)
    const folder = join(own.app.directory, 'settings')
    mkdirSync(folder)
    chmodSync(folder, 0o755)
    chmodSync(own.app.directory, 0o711)
    const clients = join(folder, 'clients.json')
    const rules = join(folder, 'forward.json')
    const rule = { hosts: ['wiki.example.com'], policy: 'bypass' }
    writeFileSync(clients, json({ clients: [] }), { mode: 0o600 })
    writeFileSync(rules, json({ rules: [rule] }), { mode: 0o600 })
    const env = { CLIENTS_FILE: clients, FORWARD_AUTH_FILE: rules }
    const errors = async () =>
      (await findings(own, env)).all.filter(({ check }) => check === 'operator_files')
    assert.deepEqual(await errors(), [])
    chmodSync(clients, 0o666)
    chmodSync(rules, 0o620)
    const [one, other] = await errors()
    assert.equal(one?.level, 'error')
    assert.match(
      one?.what ?? '',
      /^CLIENTS_FILE .*clients\.json, mode 666, can be written by other/,
    )
    assert.match(other?.what ?? '', /^FORWARD_AUTH_FILE .*forward\.json, mode 620, can be written/)
    assert.match(one?.mend.setting ?? '', /^chmod go-w .*clients\.json /)
    chmodSync(clients, 0o600)
    chmodSync(rules, 0o600)
    chmodSync(folder, 0o777)
    assert.equal((await errors()).length, 2, 'another file can be put in its place')
    chmodSync(own.app.directory, 0o700)
    assert.deepEqual(await errors(), [], 'nobody else reaches the folder')
  })

  test('mail to persons who are gone', async () => {
    const own = await deployment(production)
    const ann = await own.app.account('ann')
    await sql`update users set email = 'ann@example.org', email_key = 'ann@example.org'
      where id = ${ann.userId}`.execute(own.app.deps.db)
    const folder = join(own.app.directory, 'mail')
    mkdirSync(folder)
    writeFileSync(
      join(folder, '1.eml'),
      'From: a@b.example\r\nTo: Ann@example.org\r\n\r\nHello ann',
    )
    writeFileSync(join(folder, 'notes.eml'), 'no mail at all')
    assert.deepEqual((await findings(own)).found, [])
    const headers = await own.app.bearer(own.app.admin)
    await own.app.call('DELETE', `/users/${ann.userId}`, { headers })
    const { all, found } = await findings(own)
    assert.deepEqual(found, ['warning mail_files'])
    assert.match(all[0]?.what ?? '', /has 1 file of mail to addresses that no user has/)
    assert.doesNotMatch(JSON.stringify(all), /ann@/i)
  })

  test('a session cookie that a sibling host can set', async () => {
    const own = await deployment(production)
    const rule = { hosts: ['wiki.example.org', '*.apps.example.org'], policy: 'one_factor' }
    const env = { FORWARD_AUTH_FILE: own.file('rules.json', json({ rules: [rule] })) }
    const { all, found } = await findings(own, env)
    assert.deepEqual(found, ['warning session_cookie'])
    assert.match(all[0]?.what ?? '', /shares its domain with wiki\.example\.org, \*\.apps\.example/)
    const named = { ...env, SESSION_COOKIE_NAME: '__Host-JSESSIONID' }
    assert.deepEqual((await findings(own, named)).found, [])
    const elsewhere = own.file(
      'others.json',
      json({ rules: [{ ...rule, hosts: ['a.example.com'] }] }),
    )
    assert.deepEqual((await findings(own, { FORWARD_AUTH_FILE: elsewhere })).found, [])
  })

  test('a backup whose content was changed, or that is another', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'gatehouse-backups-'))
    after(() => rmSync(directory, { recursive: true }))
    const settings = { ...production, BACKUP_DIR: directory, BACKUP_PASSPHRASE: passphrase }
    const service = await deployment(settings)
    for (let turn = 0; turn < 3; turn += 1) {
      await service.app.app.jobs.find(({ name }) => name === 'backups')?.run()
    }
    const run = await service.app.deps.db
      .selectFrom('backup_runs')
      .select(['file', 'state'])
      .executeTakeFirstOrThrow()
    assert.equal(run.state, 'done')
    const file = join(directory, run.file ?? '')
    assert.deepEqual((await findings(service)).found, [])
    const whole = readFileSync(file)
    const changed = Buffer.from(whole)
    changed[Math.floor(whole.length / 2)] = (changed[Math.floor(whole.length / 2)] ?? 0) ^ 1
    writeFileSync(file, changed)
    const { all, found } = await findings(service)
    assert.deepEqual(found, ['error backup_content'])
    assert.match(
      all[0]?.what ?? '',
      /^The newest backup cannot be restored: .*checksum is wrong\.$/,
    )
    writeFileSync(file, whole.subarray(0, whole.length - 20))
    assert.deepEqual((await findings(service)).found, ['error backup_content'])
    writeFileSync(file, whole)
    assert.deepEqual((await findings(service)).found, [])
  })
})

suite('doctor finds planted faults: the schema', async () => {
  const own = await deployment(production)
  const { db } = await connectTo({ directory: own.app.directory })
  after(() => db.destroy())
  const run = (text: string) => sql.raw(text).execute(db)

  test('an index that is missing, and one that was changed', async () => {
    await run('drop index audit_records_by_actor_index')
    const { all, found } = await findings(own)
    assert.deepEqual(found, ['error schema_objects'])
    assert.equal(all[0]?.what, 'The index audit_records_by_actor_index is missing.')
    await run('create index audit_records_by_actor_index on audit_records (actor_index)')
    const changed = await findings(own)
    assert.deepEqual(changed.found, ['error schema_objects'])
    assert.equal(changed.all[0]?.what, 'The index audit_records_by_actor_index was changed.')
    await run('drop index audit_records_by_actor_index')
    await run((all[0]?.mend.setting ?? '').replace(/;$/, ''))
    assert.deepEqual((await findings(own)).found, [])
  })

  test('an index of the operator as information, and a trigger as a warning', async () => {
    await run('create index of_the_operator on users (name)')
    const { all, found } = await findings(own)
    assert.deepEqual(found, [])
    const [info] = all.filter(({ check }) => check === 'schema_objects')
    assert.deepEqual(
      [info?.level, info?.what],
      ['info', 'The index of_the_operator of the table users is none of this service.'],
    )
    await run('drop index of_the_operator')
    if (testDatabase === 'postgres') {
      await run(`create function spy() returns trigger language plpgsql as 'begin return new; end'`)
      await run('create trigger spy before insert on users for each row execute function spy()')
    } else {
      await run('create trigger spy after insert on users begin select 1; end')
    }
    assert.deepEqual((await findings(own)).found, ['warning schema_objects'])
    await run(testDatabase === 'postgres' ? 'drop trigger spy on users' : 'drop trigger spy')
  })

  test('a column, and a table', async () => {
    await run('alter table audit_verifications add column more text')
    assert.deepEqual((await findings(own)).found.length, 1)
    await run('drop table audit_verifications')
    const { all } = await findings(own)
    const whats = all.filter(({ check }) => check === 'schema_objects').map(({ what }) => what)
    assert.deepEqual(whats, ['The table audit_verifications is missing.'])
  })
})

suite('doctor finds planted faults: the audit log', async () => {
  const own = await deployment(production)
  const { db } = own.app.deps
  await own.app.session(own.app.admin)
  await recordEvents(own.app.deps, 60)
  const proof = await proofOf(own.app.deps)
  await proof.run()
  await proof.sent()
  const checks = async () => (await findings(own)).found

  test('a record that was changed, or removed', async () => {
    assert.deepEqual(await checks(), [])
    const { number, reason } = await db
      .selectFrom('audit_records')
      .select(['number', 'reason'])
      .where('number', '=', 30)
      .executeTakeFirstOrThrow()
    await db
      .updateTable('audit_records')
      .set({ reason: 'x' })
      .where('number', '=', number)
      .execute()
    const { all, found } = await findings(own)
    assert.deepEqual(found, ['error audit_records'])
    assert.equal(all[0]?.what, 'The record 30 of the audit log is not what was written there.')
    await db.updateTable('audit_records').set({ reason }).where('number', '=', number).execute()
    const row = await db
      .selectFrom('audit_records')
      .selectAll()
      .where('number', '=', 30)
      .executeTakeFirstOrThrow()
    await db.deleteFrom('audit_records').where('number', '=', 30).execute()
    const removed = await findings(own)
    assert.deepEqual(removed.found, ['error audit_records'])
    assert.match(
      removed.all[0]?.what ?? '',
      /^The record before record \d+ of the audit log is missing/,
    )
    await db.insertInto('audit_records').values(row).execute()
    assert.deepEqual(await checks(), [])
  })

  test('keys of persons that were deleted', async () => {
    const rows = await db.selectFrom('audit_subjects').selectAll().execute()
    await db.deleteFrom('audit_subjects').execute()
    const { all, found } = await findings(own)
    assert.deepEqual(found, ['error audit_subjects'])
    assert.match(all[0]?.what ?? '', /their keys are gone from the audit log: of users 1\.$/)
    await db.insertInto('audit_subjects').values(rows).execute()
    assert.deepEqual(await checks(), [])
  })

  test('a file of checkpoints that was emptied, or removed', async () => {
    const file = own.app.deps.config.audit.checkpointsFile
    const lines = readFileSync(file)
    // The command has the time of the machine, and a checkpoint may be on its way for a minute.
    await db
      .updateTable('audit_checkpoints')
      .set({ at: minutesLater(own) })
      .execute()
    for (const left of ['', '\n', 'something else\n']) {
      writeFileSync(file, left)
      const { all, found } = await findings(own)
      assert.deepEqual(found, ['error audit_file'])
      assert.match(
        all[0]?.what ?? '',
        /has no checkpoint, and the database has some: it was emptied/,
      )
    }
    rmSync(file)
    const isShared = testDatabase === 'postgres' // a command may run where no service writes
    assert.deepEqual(await checks(), isShared ? [] : ['error audit_file'])
    writeFileSync(file, lines)
    assert.deepEqual(await checks(), [])
  })

  test('tables that are empty beside accounts', async () => {
    await db.deleteFrom('audit_records').execute()
    assert.deepEqual(await checks(), ['error audit_subjects'])
  })
})
