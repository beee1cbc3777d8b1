import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { sql } from 'kysely'
import { connect } from '../connect.ts'
import { databaseFileName } from './connect.ts'

suite('the database file', () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  const file = join(dataDirectory, databaseFileName)
  const open = () => connect({ dataDirectory, timeoutMs: 100, synchronous: 'off' })
  after(() => rmSync(dataDirectory, { recursive: true, force: true }))

  test('is readable for its owner only, with any umask', async () => {
    const before = process.umask(0)
    const { db } = open()
    await db.executeQuery({ ...db.selectFrom('users').select('id').compile() }).catch(() => {})
    process.umask(before)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    await db.destroy()
  })

  test('is refused where others can read it', () => {
    for (const mode of [0o640, 0o604, 0o660]) {
      chmodSync(file, mode)
      assert.throws(open, /gatehouse\.db can be read by other users: chmod 600 it$/)
    }
    chmodSync(file, 0o600)
    open()
  })

  test('its folder is accessible for its owner only as well', async () => {
    const folder = join(dataDirectory, 'made', 'here')
    const before = process.umask(0)
    const { db } = connect({ dataDirectory: folder, timeoutMs: 100, synchronous: 'off' })
    process.umask(before)
    assert.equal(statSync(folder).mode & 0o777, 0o700)
    await db.destroy()
  })

  test('a commit waits for the disk unless told otherwise; those of every login do not', async () => {
    const folder = join(dataDirectory, 'synchronous')
    const modeOf = async ({ db }: Pick<ReturnType<typeof connect>, 'db'>) =>
      (await sql<{ synchronous: number }>`pragma synchronous`.execute(db)).rows[0]?.synchronous
    const { db, asyncCommitDb } = connect({ dataDirectory: folder, timeoutMs: 100 })
    // https://sqlite.org/pragma.html#pragma_synchronous
    const [normal, full] = [1, 2]
    assert.equal(await modeOf({ db }), full)
    assert.equal(await modeOf({ db: asyncCommitDb }), normal)
    assert.equal(await modeOf({ db }), full, 'each time anew')
    await db.destroy()
    assert.equal(await modeOf(open()), 0, 'off is for tests')
  })
})
