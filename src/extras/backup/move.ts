import { setImmediate } from 'node:timers/promises'
import { committing } from '../../core/database/commit.ts'
import type { ChangeFeed, Database } from '../../core/database/database.ts'
import { schemaVersion } from '../../core/database/migrate.ts'
import { disableTimeouts, inSnapshot } from '../../core/database/snapshot.ts'
import type { Events } from '../../core/events/events.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { ModuleNames } from '../../core/module/module.ts'
import type { Deps } from '../../core/runtime/deps.ts'
import { createAudit } from '../../modules/audit/audit.ts'
import { importKeys, newDataKey } from '../../modules/keys/key-export.ts'
import { tablesOf } from './copied-tables.ts'
import { type OnProgress, takeDump } from './dump.ts'
import { databaseMoved, ofMachine } from './events.ts'
import { loadDump } from './load.ts'
import type { TableName } from './rows.ts'
import type { WriteOptions } from './write-backup.ts'

export interface MoveOptions {
  readonly from: Pick<Deps, 'config' | 'db' | 'log' | 'random'> & {
    readonly feed: Pick<ChangeFeed, 'version'>
  }
  /** Must be empty. */
  readonly to: Database
  /** The name in the event. */
  readonly target: string
  readonly clock: Clock
  readonly events: Events
  readonly modules: readonly ModuleNames[]
  readonly onProgress?: OnProgress
  readonly onLeftOut?: WriteOptions['onLeftOut']
}

/**
 * Copies a database including logins and sealed keys; the master key stays the same. Returns row
 * counts. @throws Error if another process wrote during the move or a count differs; then nothing is
 * moved
 */
export async function move(options: MoveOptions): Promise<Map<TableName, number>> {
  const { from, to, target, clock, events, onLeftOut, onProgress } = options
  const tables = tablesOf(options.modules)
  await schemaVersion(from.db) // opens the database: the feed needs its version
  const before = from.feed.version()
  return inSnapshot(from.db, async (snapshot) => {
    // The moved keys need the same master key; a database that never served has no keys.
    createAudit({ ...options, ...from, db: to })
    return committing(to, async (trx) => {
      await disableTimeouts(trx)
      const dump = await takeDump(snapshot, { tables, onProgress })
      if (dump.unowned.size > 0) onLeftOut?.(dump.unowned)
      const loaded = await loadDump(trx, dump, { clock, tables, keepLogins: true })
      await setImmediate() // the feed caches its version for one event loop turn
      if (from.feed.version() !== before) {
        throw new Error('the database was changed meanwhile: stop the service first')
      }
      if (loaded.get('keys') === 0) await importKeys(trx, from, [newDataKey({ ...from, clock })])
      const users = loaded.get('users') ?? 0
      await events.emitInTransaction(trx, databaseMoved, { to: target, users, ...ofMachine() })
      return loaded
    })
  })
}
