import type { Config } from '../../core/config/load.ts'
import { type Random, randomText } from '../../core/crypto/random.ts'
import type { Database, DatabaseOrTransaction } from '../../core/database/database.ts'
import type { RowsOfTables } from '../../core/database/rows-of-tables.ts'
import { inSnapshot } from '../../core/database/snapshot.ts'
import { type Clock, isoTime } from '../../core/lib/clock.ts'
import { accessAlgorithmOf } from '../../modules/keys/algorithm.ts'
import { exportKeys } from '../../modules/keys/key-export.ts'
import type { MasterKeyConfig } from '../../modules/keys/master-key.ts'
import { operatorKeys } from '../../modules/keys/signing-key.ts'
import type { ArchiveContents, NewArchive } from './archive-writer.ts'
import type { Tables } from './copied-tables.ts'
import { type OnProgress, takeDump, withoutSealed } from './dump.ts'
import {
  createEncryptedKeyBundle,
  type EncryptedKeyBundle,
  saltBytes,
} from './encrypted-key-bundle.ts'
import {
  type Description,
  type EncryptedHeader,
  type OpenHeader,
  type SealedDescription,
  toLines,
} from './format.ts'

export interface WriteDeps {
  readonly config: MasterKeyConfig & Pick<Config, 'token'>
  readonly db: Database
  readonly clock: Pick<Clock, 'now'>
  readonly random: Random
}

export interface WriteOptions {
  readonly tables: Tables
  /** Without a passphrase: no keys, unencrypted rows. */
  readonly passphrase: string | undefined
  readonly onProgress?: OnProgress | undefined
  /** Called if tables without a module have rows. */
  readonly onLeftOut?: ((tables: RowsOfTables) => void) | undefined
}

/**
 * Writes a snapshot while others write. The passphrase encrypts everything, including the key set,
 * so that another installation can decrypt sealed columns; never includes the master key. The
 * snapshot ends with the last row, so that a slow disk does not prolong it.
 */
export async function writeBackup(
  deps: WriteDeps,
  archive: NewArchive,
  { passphrase, ...options }: WriteOptions,
): ReturnType<NewArchive['write']> {
  const salt = randomText(deps.random, saltBytes)
  const bundle =
    passphrase === undefined ? undefined : await createEncryptedKeyBundle(passphrase, salt, 2)
  const startedAt = deps.clock.now()
  return inSnapshot(deps.db, async (snapshot) =>
    archive.write(await contentsOf(snapshot, { ...deps, ...options, bundle, startedAt })),
  )
}

const inTheOpen = { format: 'gatehouse-backup', version: 1 } as const
const encrypted = { format: 'gatehouse-backup', version: 2 } as const

interface Making extends WriteDeps, Pick<WriteOptions, 'tables' | 'onProgress' | 'onLeftOut'> {
  readonly bundle: EncryptedKeyBundle | undefined
  readonly startedAt: number
}

async function contentsOf(
  snapshot: DatabaseOrTransaction,
  { bundle, config, onLeftOut, onProgress, random, startedAt, tables }: Making,
): Promise<ArchiveContents> {
  const except = ['keys', ...(bundle ? [] : tables.needingKeys)]
  const dump = await takeDump(snapshot, { tables, except, onProgress })
  if (dump.unowned.size > 0) onLeftOut?.(dump.unowned)
  const description: Description = {
    schema: dump.schema,
    rooms: Object.fromEntries(dump.modules),
    created_at: isoTime(startedAt),
    counts: Object.fromEntries(dump.counts),
    last_ids: Object.fromEntries(dump.lastIds),
    ...(dump.unowned.size > 0 && { left_out: Object.fromEntries(dump.unowned) }),
    operator_keys: (await operatorKeys(config)).map(({ kid }) => kid),
    token_algorithm: await accessAlgorithmOf(snapshot, config),
  }
  if (!bundle) {
    const header: OpenHeader = { ...inTheOpen, ...description, keys: null }
    return { header, body: toLines(withoutSealed(dump.batches, tables)) }
  }
  const keys = await exportKeys(snapshot, { config, random })
  const sealed = bundle.seal(random, { ...description, keys } satisfies SealedDescription)
  const header: EncryptedHeader = { ...encrypted, salt: bundle.salt, sealed }
  return { header, body: toLines(dump.batches), ...bundle }
}
