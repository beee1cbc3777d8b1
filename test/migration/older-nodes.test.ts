// A database makes a difference: PostgreSQL shows the sessions of other nodes, and SQLite the locks of other processes.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { suite, test } from 'node:test'
import pg from 'pg'
import { connect } from '../../src/core/database/connect.ts'
import { type Database, execute } from '../../src/core/database/database.ts'
import { latestSchema, migrate, schemaVersion } from '../../src/core/database/migrate.ts'
import { connectionOf } from '../../src/core/database/postgres/address.ts'
import { databaseFileName } from '../../src/core/database/sqlite/connect.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { fixedClock, steppingClock } from '../clock.ts'
import { connectTo, postgresOnly, sqliteOnly } from '../database.ts'
import { fillOldPostgres, oldRows, placeOldFile, writtenAt } from './old-database.ts'

const clock = steppingClock(fixedClock(writtenAt))

async function oldPostgres() {
  const connected = await connectTo({ isEmpty: true })
  const { address, db, directory } = connected
  assert.ok(address)
  await db.transaction().execute(fillOldPostgres)
  /** A session of another process, as those of any version. */
  const session = async (application_name = 'gatehouse', database = address.database) => {
    const client = new pg.Client({ ...connectionOf(address), application_name, database })
    await client.connect()
    return client
  }
  /** Another node of this version, with sessions of its own. */
  const node = () => connect({ dataDirectory: directory, timeoutMs: 10_000, postgres: address }).db
  await db.destroy() // the sessions that have made it end
  return { directory, node, session }
}

const columnsOf = (db: Database) => execute(db, 'select must_change from accounts limit 1')

suite('a start on an old schema while an older node runs', () => {
  postgresOnly('is refused on PostgreSQL, changes nothing, and says what to do', async () => {
    const { directory, node, session } = await oldPostgres()
    const older = await session()
    const db = node()
    await assert.rejects(migrate(db, clock), {
      message:
        /^migration 14 takes away what older versions read, and other nodes are connected to the database, from .+: stop them, and start again; if none runs, `[a-z -]*gatehouse[ -]*migrate --contract`$/,
    })
    assert.equal(await schemaVersion(db), 13)
    await columnsOf(db)
    await db.destroy()
    const refused = await gatehouse(directory, 'migrate', { clock })
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /migration 14 takes away .*: stop them, and start again/)
    await older.query('select must_change from accounts') // the older node works on
    await older.end()
    const done = await gatehouse(directory, 'migrate', { clock })
    assert.equal(done.code, 0)
    assert.match(done.stdout, new RegExp(`^schema 13 -> ${latestSchema}(, .*)?\n$`))
  })

  postgresOnly('waits for the sessions of a node that was just stopped', async () => {
    const { node, session } = await oldPostgres()
    const older = await session()
    const db = node()
    let waits = 0
    const wait = async () => {
      waits += 1
      if (waits === 3) await older.end()
    }
    assert.equal(await migrate(db, { ...clock, wait }), latestSchema - 13)
    assert.equal(waits, 3)
    await db.destroy()
  })

  postgresOnly(
    'is not held up by other programs, other databases and nodes that start',
    async () => {
      const { node, session } = await oldPostgres()
      const others = [await session('psql'), await session('gatehouse', 'postgres')]
      const nodes = [node(), node(), node()]
      // Each begins by a session that is connected, and waits for the lock of the schema.
      const ran = await Promise.all(nodes.map((db) => migrate(db, fixedClock(writtenAt))))
      assert.deepEqual(
        ran.toSorted((a, b) => a - b),
        [0, 0, latestSchema - 13],
      )
      for (const client of others) await client.end()
      for (const db of nodes) await db.destroy()
    },
  )

  postgresOnly('runs where the operator says that no node runs', async () => {
    const { directory, session } = await oldPostgres()
    const stray = await session()
    const { code, stderr } = await gatehouse(directory, 'migrate --contract', { clock })
    assert.equal(code, 0, stderr)
    await stray.end()
  })

  sqliteOnly('is refused on SQLite, changes nothing, and says what to do', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
    placeOldFile(directory)
    const path = join(directory, databaseFileName)
    const older = new DatabaseSync(path)
    older.exec('pragma journal_mode = wal; select count(*) from users')
    const inUse = /gatehouse\.db is in use: stop the service first/
    const env = { PATH: process.env.PATH, DATA_DIR: directory, PORT: '0', NODE_ENV: 'test' }
    const started = spawnSync(process.execPath, ['src/main.ts'], { env, encoding: 'utf8' })
    assert.equal(started.status, 1)
    assert.match(
      started.stderr,
      /^Gatehouse cannot start: .*gatehouse\.db is in use: stop the service/,
    )
    const refused = await gatehouse(directory, 'migrate', { clock })
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, inUse)
    const accounts = older.prepare('select username, must_change from accounts').all()
    assert.equal(accounts.length, oldRows().get('accounts')?.length)
    older.close()
    const done = await gatehouse(directory, 'migrate', { clock })
    assert.equal(done.code, 0)
    assert.match(done.stdout, new RegExp(`^schema 13 -> ${latestSchema}(, .*)?\n$`))
  })

  test('has nothing to wait for on the present schema', async () => {
    const { db, directory } = await connectTo()
    await migrate(db, clock) // sessions of this process, and of others, are there
    assert.equal((await gatehouse(directory, 'migrate', { clock })).code, 0)
    await db.destroy()
  })
})
