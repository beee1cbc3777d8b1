// A database makes a difference: each has codes of its own for damage.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { suite, test } from 'node:test'
import { DatabaseDamaged, DatabaseUnavailable, damageIn } from '../../src/core/database/errors.ts'
import { translated } from '../../src/core/database/postgres/errors.ts'
import { databaseFileName } from '../../src/core/database/sqlite/connect.ts'
import { type TestApp, testApp } from '../app.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { sqliteOnly } from '../database.ts'
import { assertRefusal } from '../refusal.ts'
import { seedUsers } from '../users.ts'

const ready = (app: TestApp) => app.call('GET', '/health/ready')

/** Overwrites a page of a table: its root, or the last of its leaves. */
function damage(directory: string, table: string, which: 'root' | 'last leaf'): void {
  const path = join(directory, databaseFileName)
  const db = new DatabaseSync(path)
  db.exec('pragma wal_checkpoint(truncate)')
  const { rootpage } = db
    .prepare('select rootpage from sqlite_schema where name = ?')
    .get(table) as { rootpage: number }
  const { page_size } = db.prepare('pragma page_size').get() as { page_size: number }
  db.close()
  const file = openSync(path, 'r+')
  const at = (page: number) => (page - 1) * page_size
  let page = rootpage
  if (which === 'last leaf') {
    // Of an interior page, bytes 8 to 11 name the last page below. https://sqlite.org/fileformat.html
    const bytes = Buffer.alloc(page_size)
    for (;;) {
      readSync(file, bytes, 0, page_size, at(page))
      if (bytes[0] !== 5) break
      page = bytes.readUInt32BE(8)
    }
  }
  writeSync(file, Buffer.alloc(page_size, 0xff), 0, page_size, at(page))
  closeSync(file)
}

async function damagedService(table: string, which: 'root' | 'last leaf') {
  const before = await testApp()
  await seedUsers(before, 1500)
  await before.app.server.close()
  await before.deps.db.destroy()
  damage(before.directory, table, which)
  return before
}

suite('a damaged page of the database', () => {
  sqliteOnly(
    'turns readiness off as soon as a statement meets it, and until the next start',
    async () => {
      const { directory, clock } = await damagedService('users', 'last leaf')
      const app = await testApp({}, { directory, clock })
      assert.equal((await ready(app)).status, 200, 'nothing has met it yet')
      app.log.length = 0
      const headers = await app.bearer(app.admin)
      assertRefusal(await app.call('GET', '/users/1500', { headers }), 503, 'Service unavailable')
      for (let probe = 0; probe < 3; probe += 1) {
        assertRefusal(await ready(app), 503, 'Service unavailable')
      }
      const told = app.log.filter(({ msg }) => msg === 'not ready')
      assert.deepEqual(
        told.map(({ level, reason, detail }) => ({ level, reason, detail })),
        [{ level: 'warn', reason: 'damaged', detail: 'database disk image is malformed' }],
      )
      const errors = app.log.filter(
        ({ level, msg }) => level === 'error' && /damaged/.test(`${msg}`),
      )
      assert.equal(errors.length, 1)
      // Requests that need no damaged page are still served.
      assert.equal((await app.call('GET', '/users/1', { headers })).status, 200)
    },
  )

  sqliteOnly('is named by the doctor, and by a backup, which is refused', async () => {
    const { directory } = await damagedService('users', 'last leaf')
    const examined = await gatehouse(directory, 'doctor --inside --json')
    const { findings } = JSON.parse(examined.stdout)
    const [finding] = findings.filter(({ check }: { check: string }) => check === 'database_pages')
    assert.equal(finding.level, 'error')
    assert.match(finding.what, /gatehouse\.db is damaged: /)
    assert.equal(finding.mend.setting, 'npm run -s gatehouse -- restore FILE')
    assert.ok(!findings.some(({ check }: { check: string }) => check === 'schema_objects'))
    const stdin = 'lamps harbour velvet tuba ocelot quarry\n'
    const made = await gatehouse(directory, `backup ${join(directory, 'archive')}`, { stdin })
    assert.equal(made.code, 1)
    assert.match(
      made.stderr,
      /the database is damaged: .*malformed.*npm run -s gatehouse -- restore/,
    )
    assert.doesNotMatch(made.stderr, /not available/)
  })

  sqliteOnly('of the versions is named by the doctor with the remedy', async () => {
    const { directory } = await damagedService('schema_version', 'root')
    const errors = async () => {
      const { stdout } = await gatehouse(directory, 'doctor --inside --json')
      const { findings } = JSON.parse(stdout)
      return findings.filter(({ level }: { level: string }) => level === 'error')
    }
    const [finding, ...others] = await errors()
    assert.deepEqual([finding.check, others.length], ['database_pages', 0])
    assert.equal(finding.mend.setting, 'npm run -s gatehouse -- restore FILE')
  })

  for (const table of ['accounts', 'keys', 'schema_version', 'webhook_endpoints']) {
    sqliteOnly(`of ${table} ends a start with one line that names the restore`, async () => {
      const { directory } = await damagedService(table, 'root')
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        ['test/faults/from-sources.ts'],
        {
          cwd: join(import.meta.dirname, '../..'),
          encoding: 'utf8',
          env: { ...process.env, DATA_DIR: directory, PORT: '0', LOG_LEVEL: 'silent' },
        },
      )
      assert.deepEqual([status, stdout], [1, ''])
      assert.match(stderr, /^Gatehouse cannot start: .*malformed; the database is damaged: .*\n$/)
      assert.match(stderr, /restore a backup with `npm run -s gatehouse -- restore`/)
    })
  }
})

suite('damage that a database reports', () => {
  test('of PostgreSQL: data_corrupted and index_corrupted, and no other code', () => {
    const of = (code: string) => {
      const error = Object.assign(new Error('invalid page in block 3'), { code, severity: 'ERROR' })
      return translated(error).answer
    }
    for (const code of ['XX001', 'XX002']) assert.ok(of(code) instanceof DatabaseDamaged)
    for (const code of ['XX000', '53100']) {
      assert.ok(of(code) instanceof DatabaseUnavailable)
      assert.ok(!(of(code) instanceof DatabaseDamaged))
    }
    const cause = of('XX001')
    assert.equal(damageIn(new Error('outer', { cause: new Error('inner', { cause }) })), cause)
    assert.equal(damageIn(new Error('outer')), null)
  })

  test('is noted once, and heard by who listens', async () => {
    const app = await testApp()
    const { damage: noted } = app.deps.measurements.database
    assert.equal((await ready(app)).status, 200)
    noted.note('invalid page in block 3')
    noted.note('another')
    assert.equal(noted.detail, 'invalid page in block 3')
    assertRefusal(await ready(app), 503, 'Service unavailable')
    const [line] = app.log.filter(({ msg }) => msg === 'not ready')
    assert.deepEqual([line?.reason, line?.detail], ['damaged', 'invalid page in block 3'])
    const headers = await app.bearer(app.admin)
    const { body } = await app.call('GET', '/api/admin/doctor', { headers })
    const [found] = body.findings.filter(
      ({ check }: { check: string }) => check === 'database_pages',
    )
    assert.equal(found.what, 'A statement has met damage: invalid page in block 3.')
  })
})
