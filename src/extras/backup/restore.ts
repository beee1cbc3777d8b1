import { committing } from '../../core/database/commit.ts'
import type { RowsOfTables } from '../../core/database/rows-of-tables.ts'
import { disableTimeouts } from '../../core/database/snapshot.ts'
import { adoptTombstones } from '../../modules/audit/adopt-tombstones.ts'
import { createAudit } from '../../modules/audit/audit.ts'
import {
  type ExportedKey,
  importKeys,
  newDataKey,
  signingKeyInPlaceOf,
} from '../../modules/keys/key-export.ts'
import { operatorKeys, type SigningAlgorithm } from '../../modules/keys/signing-key.ts'
import type { BackupDeps } from './backup.ts'
import { openContents } from './contents.ts'
import { tablesOf } from './copied-tables.ts'
import type { OnProgress } from './dump.ts'
import { backupRestored, ofMachine } from './events.ts'
import { type Description, leftOutOf } from './format.ts'
import { loadDump } from './load.ts'
import type { TableName } from './rows.ts'

export interface RestoreOptions {
  /** Not called if `unverified`. */
  readonly passphrase: () => Promise<string>
  /** Invalidates second factors and all tokens. */
  readonly withoutKeys: boolean
  /**
   * Trusts the file without authentication: its last writer chooses administrators and their
   * passwords. Requires `withoutKeys` and an unencrypted backup.
   */
  readonly unverified: boolean
  /** Keeps sessions, tokens and ids, if nothing changed since the backup. */
  readonly keepLogins: boolean
  readonly onProgress?: OnProgress
}

export interface Restored {
  readonly createdAt: string
  readonly counts: ReadonlyMap<TableName, number>
  readonly leftOut: RowsOfTables
}

/**
 * Verifies the file first (by the passphrase unless `unverified`), then loads it into an empty
 * database in one transaction.
 *
 * Sessions, tokens and administrators that ended after the backup must not become valid again:
 * unless `keepLogins`, sessions and token signing keys are omitted. @throws Error for an unsuitable
 * file or database; then nothing changes
 */
export async function restore(
  deps: BackupDeps,
  path: string,
  { passphrase, withoutKeys, unverified, keepLogins, onProgress }: RestoreOptions,
): Promise<Restored> {
  const contents = await openContents(path, { passphrase, unverified })
  try {
    const { description, keys: opened } = contents
    if (!keepLogins) await assertTokensEnd(deps, description)
    const keys = withoutKeys ? [] : opened
    const tables = tablesOf(deps.modules)
    const dump = contents.dump(tables, { withoutKeys })
    const { clock } = deps
    const kept = keys.filter(({ purpose }) => keepLogins || purpose === 'data')
    if (withoutKeys) kept.push(newDataKey(deps))
    if (withoutKeys || !keepLogins) {
      kept.push(await signingKeyInPlaceOf(opened, algorithmOf(description, opened), deps))
    }
    createAudit(deps) // uses the keys restored by this transaction
    const counts = await committing(deps.db, async (trx) => {
      await disableTimeouts(trx)
      const loaded = await loadDump(trx, dump, {
        ...{ clock, tables, keepLogins, withoutKeys, onProgress },
      })
      await importKeys(trx, deps, kept)
      await adoptTombstones(trx, deps)
      await deps.events.emitInTransaction(trx, backupRestored, {
        file: path,
        created_at: description.created_at,
        users: loaded.get('users') ?? 0,
        logins_kept: keepLogins,
        verified: !unverified,
        ...ofMachine(),
      })
      return loaded
    })
    return { createdAt: description.created_at, counts, leftOut: leftOutOf(description) }
  } finally {
    await contents.close()
  }
}

/** An installation keeps its algorithm. */
function algorithmOf(
  { token_algorithm }: Description,
  keys: readonly ExportedKey[],
): SigningAlgorithm {
  // The file may be unauthenticated.
  if (token_algorithm !== undefined) return token_algorithm === 'HS256' ? 'HS256' : 'RS256'
  // Version 0.2.0 signed with HS256 by default.
  const signed = keys.filter(
    ({ purpose, retiredAt }) => purpose === 'signing' && retiredAt === null,
  )
  const isRsa = signed.length > 0 && signed.every(({ algorithm }) => algorithm === 'RS256')
  return isRsa ? 'RS256' : 'HS256'
}

/** @throws Error if a configured key signed tokens: a restore cannot drop that key */
async function assertTokensEnd({ config }: BackupDeps, description: Description): Promise<void> {
  const signed = new Set(description.operator_keys)
  if (!(await operatorKeys(config)).some(({ kid }) => signed.has(kid))) return
  throw new Error(
    'TOKEN_SECRET or TOKEN_PRIVATE_KEY has signed tokens that would be valid again: ' +
      'set another one, or --keep-logins',
  )
}
