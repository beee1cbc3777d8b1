import type { Logger } from 'pino'
import { createAudit } from '../audit/audit.ts'
import type { Config } from '../config/load.ts'
import type { Database } from '../database/database.ts'
import { inSnapshot } from '../database/snapshot.ts'
import type { Events } from '../events/events.ts'
import { type Clock, isoTime } from '../kernel/clock.ts'
import { type Random, randomText } from '../kernel/random.ts'
import { accessAlgorithmOf } from '../keys/algorithm.ts'
import type { MasterKeyConfig } from '../keys/master-key.ts'
import { operatorKeys } from '../keys/signing-key.ts'
import { exportKeys } from '../keys/travelling-keys.ts'
import type { RoomNames } from '../room/room.ts'
import { assertStrongPassphrase } from '../strength/passphrase.ts'
import { writeArchive } from './archive-writer.ts'
import { type OnProgress, takeDump, withoutSealed } from './dump.ts'
import { backupMade, ofMachine } from './events.ts'
import {
  type Description,
  type EncryptedHeader,
  type OpenHeader,
  type SealedDescription,
  toLines,
} from './format.ts'
import { createKeyBox, leastPassphrase, saltBytes } from './key-box.ts'
import { tablesOf } from './tables.ts'

export interface BackupDeps {
  readonly config: MasterKeyConfig & Pick<Config, 'token'>
  readonly db: Database
  readonly clock: Clock
  readonly events: Events
  readonly log: Logger
  readonly random: Random
  /** The rooms that declare the tables. */
  readonly rooms: readonly RoomNames[]
}

export interface BackupOptions {
  /** Encrypts the file; without a passphrase it has no keys, and the rows are in the open. */
  readonly passphrase: string | undefined
  readonly onProgress?: OnProgress
}

const inTheOpen = { format: 'gatehouse-backup', version: 1 } as const
const encrypted = { format: 'gatehouse-backup', version: 2 } as const

/**
 * Writes a snapshot of the database to a new file, while the service works as usual. All of it is
 * encrypted by the passphrase, with the key set, so that another installation can decrypt the sealed
 * columns; it never includes the master key. Answers the file's SHA-256.
 * @throws Error if the file exists, or the passphrase can be guessed
 */
export async function backup(
  { db, ...deps }: BackupDeps,
  path: string,
  { passphrase, onProgress }: BackupOptions,
): Promise<string> {
  const { clock, config, events, random } = deps
  if (passphrase !== undefined && passphrase.length < leastPassphrase) {
    throw new Error(`the passphrase must have at least ${leastPassphrase} characters`)
  }
  if (passphrase !== undefined) assertStrongPassphrase(passphrase)
  const box =
    passphrase === undefined
      ? undefined
      : await createKeyBox(passphrase, randomText(random, saltBytes), 2)
  const kids = (await operatorKeys(config)).map(({ kid }) => kid)
  const startedAt = clock.now()
  const tables = await tablesOf(deps.rooms)

  const sha256 = await inSnapshot(db, async (snapshot) => {
    const except = ['keys', ...(box ? [] : tables.needingKeys)]
    const dump = await takeDump(snapshot, { tables, except, onProgress })
    const description: Description = {
      schema: dump.schema,
      rooms: Object.fromEntries(dump.rooms),
      created_at: isoTime(startedAt),
      counts: Object.fromEntries(dump.counts),
      last_ids: Object.fromEntries(dump.lastIds),
      operator_keys: kids,
      token_algorithm: await accessAlgorithmOf(snapshot, config),
    }
    if (!box) {
      const header: OpenHeader = { ...inTheOpen, ...description, keys: null }
      return writeArchive(path, { header, body: toLines(withoutSealed(dump.batches, tables)) })
    }
    const keys = await exportKeys(snapshot, deps)
    const sealed = box.seal(random, { ...description, keys } satisfies SealedDescription)
    const header: EncryptedHeader = { ...encrypted, salt: box.salt, sealed }
    return writeArchive(path, { header, body: toLines(dump.batches), ...box })
  })
  const audit = createAudit({ ...deps, db })
  events.tell(backupMade, { file: path, sha256, keys: box !== undefined, ...ofMachine() })
  await audit.close()
  return sha256
}
