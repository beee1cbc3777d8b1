import { setImmediate } from 'node:timers/promises'
import type { ChangeFeed, Database } from '../database/database.ts'
import { schemaVersion } from '../database/migrate.ts'
import { disableTimeouts, inSnapshot } from '../database/snapshot.ts'
import { committing } from '../database/transactions.ts'
import type { Events } from '../events/events.ts'
import type { Clock } from '../kernel/clock.ts'
import type { RoomNames } from '../room/room.ts'
import { type OnProgress, takeDump } from './dump.ts'
import { databaseMoved, ofMachine } from './events.ts'
import { loadDump } from './load.ts'
import type { TableName } from './rows.ts'
import { tablesOf } from './tables.ts'

export interface MoveOptions {
  readonly from: { readonly db: Database; readonly feed: Pick<ChangeFeed, 'version'> }
  /** Empty. */
  readonly to: Database
  /** Names it, for the event. */
  readonly target: string
  readonly clock: Clock
  readonly events: Events
  /** What they declare of their tables. */
  readonly rooms: readonly RoomNames[]
  readonly onProgress?: OnProgress
}

/**
 * Copies a whole database into an empty one, logins and sealed keys included: the other one is opened
 * by the same master key, and goes on where this one stopped. Answers how many rows each table got.
 * @throws Error where another process wrote meanwhile, or a count differs; nothing is moved then
 */
export async function move(options: MoveOptions): Promise<Map<TableName, number>> {
  const { from, to, target, clock, events, onProgress } = options
  const tables = await tablesOf(options.rooms)
  await schemaVersion(from.db) // opens the database, so that its version can be told
  const before = from.feed.version()
  return inSnapshot(from.db, async (snapshot) => {
    return committing(() =>
      to.transaction().execute(async (trx) => {
        await disableTimeouts(trx)
        const dump = await takeDump(snapshot, { tables, onProgress })
        const loaded = await loadDump(trx, dump, { clock, tables, keepLogins: true })
        await setImmediate() // a version is kept for one turn of the event loop
        if (from.feed.version() !== before) {
          throw new Error('the database was changed meanwhile: stop the service first')
        }
        const users = loaded.get('users') ?? 0
        await events.record(trx, databaseMoved, { to: target, users, ...ofMachine() })
        return loaded
      }),
    )
  })
}
