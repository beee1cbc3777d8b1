import type { Config } from '../../core/config/load.ts'
import { systemRandom } from '../../core/crypto/random.ts'
import { connectThread } from '../../core/database/thread-connection.ts'
import { serveThread, type ThreadCall } from '../../core/threads/serve-thread.ts'
import type { MasterKeyConfig } from '../../modules/keys/master-key.ts'
import { withNewArchive } from './archive-writer.ts'
import type { Tables } from './copied-tables.ts'
import { type ReadBack, readBack } from './read-back.ts'
import { writeBackup } from './write-backup.ts'

export interface BackupOrder {
  readonly path: string
  /** Null: without keys, and without encryption. */
  readonly passphrase: string | null
  readonly config: MasterKeyConfig & Pick<Config, 'token'>
  readonly tables: Tables
  /** Epoch milliseconds. */
  readonly now: number
}

/** Progress. The backup gets its name after the receiver has handled the note. */
export type BackupNote = ReadBack | null

serveThread(make, { isBackground: true })

async function make(
  { path, passphrase, config, tables, now }: BackupOrder,
  { signal, note }: ThreadCall<BackupNote>,
): Promise<ReadBack> {
  const onProgress = () => {
    signal.throwIfAborted()
    void note(null)
  }
  const options = { tables, passphrase: passphrase ?? undefined, onProgress }
  const deps = { config, clock: { now: () => now }, random: systemRandom }
  return withNewArchive(path, async (archive) => {
    const db = connectThread(config.database)
    const written = await writeBackup({ ...deps, db }, archive, options).finally(() => db.destroy())
    await archive.sync()
    onProgress()
    const opening = {
      passphrase: async () => passphrase ?? '',
      unverified: passphrase === null,
    }
    const made = await readBack(archive.partial, opening, options)
    if (made.sha256 !== written.sha256) throw new Error('the file does not hold what was written')
    await note(made)
    await archive.publish()
    return made
  })
}
