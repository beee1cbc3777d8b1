// A database makes a difference: the test of the helpers that know it.
import assert from 'node:assert/strict'
import { suite } from 'node:test'
import { sql } from 'kysely'
import { execute } from '../src/core/database/database.ts'
import { DatabaseUnavailable } from '../src/core/database/errors.ts'
import { connectTo, databaseLock, postgresOnly } from './database.ts'
import { until } from './until.ts'

suite('the database of the tests', () => {
  postgresOnly('a lock that is let go lets nothing through that has waited for it', async () => {
    const { db, directory } = await connectTo()
    const { db: watcher } = await connectTo({ directory })
    const isWaiting = async () => {
      const { rows } = await sql`select from pg_locks where not granted and database =
        (select oid from pg_database where datname = current_database())`.execute(watcher)
      return rows.length > 0
    }
    const lock = await databaseLock({ directory })
    await lock.hold()
    const change = `set lock_timeout = 300; delete from sessions`
    const refused = assert.rejects(execute(db, change), DatabaseUnavailable)
    await until(isWaiting)
    await lock.release()
    await refused
    await Promise.all([db.destroy(), watcher.destroy()])
  })
})
