import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { sql } from 'kysely'
import { sqliteOnly } from '../database.ts'
import { deployment, findings, production } from './deployment.ts'

const json = (value: unknown) => `${JSON.stringify(value)}\n`
const passphrase = 'correct lamp seven harbour quiet orchard violin'

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
    const write = () =>
      writeFileSync(
        join(folder, '1.eml'),
        'From: a@b.example\r\nTo: Ann@example.org\r\n\r\nHello ann',
      )
    write()
    writeFileSync(join(folder, 'notes.eml'), 'no mail at all')
    assert.deepEqual((await findings(own)).found, [])
    const headers = await own.app.bearer(own.app.admin)
    await own.app.call('DELETE', `/users/${ann.userId}`, { headers })
    assert.deepEqual((await findings(own)).found, [])
    write() // as an erasure on another machine leaves the file
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
