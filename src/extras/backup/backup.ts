import type { Logger } from 'pino'
import type { Events } from '../../core/events/events.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { ModuleNames } from '../../core/module/module.ts'
import { assertStrongPassphrase } from '../../core/secret-strength/passphrase.ts'
import { createAudit } from '../../modules/audit/audit.ts'
import { withNewArchive } from './archive-writer.ts'
import { tablesOf } from './copied-tables.ts'
import { backupMade, ofMachine } from './events.ts'
import { leastPassphrase } from './settings.ts'
import { type WriteDeps, type WriteOptions, writeBackup } from './write-backup.ts'

export interface BackupDeps extends WriteDeps {
  readonly clock: Clock
  readonly events: Events
  readonly log: Logger
  readonly modules: readonly ModuleNames[]
}

export type BackupOptions = Omit<WriteOptions, 'tables'>

/**
 * Backs up to a new file while the service runs. Returns the SHA-256. @throws Error if the file
 * exists or the passphrase is guessable
 */
export async function backup(
  { db, ...deps }: BackupDeps,
  path: string,
  options: BackupOptions,
): Promise<string> {
  const { passphrase } = options
  if (passphrase !== undefined && passphrase.length < leastPassphrase) {
    throw new Error(`the passphrase must have at least ${leastPassphrase} characters`)
  }
  if (passphrase !== undefined) assertStrongPassphrase(passphrase)
  const tables = tablesOf(deps.modules)
  const { sha256 } = await withNewArchive(path, async (archive) => {
    const written = await writeBackup({ ...deps, db }, archive, { ...options, tables })
    await archive.publish()
    return written
  })
  const audit = createAudit({ ...deps, db })
  deps.events.emit(backupMade, {
    file: path,
    sha256,
    keys: passphrase !== undefined,
    ...ofMachine(),
  })
  await audit.close()
  return sha256
}
