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
  /** Reads the passphrase for the keys and for the authentication; not called if `unverified`. */
  readonly passphrase: () => Promise<string>
  /** Restores without the key set, so that second factors and all tokens become invalid. */
  readonly withoutKeys: boolean
  /**
   * Trusts the file without authentication: its last writer decides who is administrator, and by
   * which password. Requires `withoutKeys`, and a backup that is not encrypted as a whole.
   */
  readonly unverified: boolean
  /** Keeps sessions, tokens and ids, for a backup after which nothing has changed. */
  readonly keepLogins: boolean
  readonly onProgress?: OnProgress
}

export interface Restored {
  readonly createdAt: string
  readonly counts: ReadonlyMap<TableName, number>
  /** The rows of tables that the backup lacks. */
  readonly leftOut: RowsOfTables
}

/**
 * Loads a backup into an empty database, in one transaction. It verifies the whole file first, by
 * the passphrase unless `unverified`.
 *
 * A session, a token or an administrator that ended after the backup must not become valid again.
 * So all logins end unless `keepLogins`: sessions are left out, and so are the keys that signed the
 * tokens. @throws Error if the file or the database is not suitable; then nothing is changed
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
    createAudit(deps) // its keys are those that the transaction restores
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

/** What signed access tokens: an installation keeps its algorithm. */
function algorithmOf(
  { token_algorithm }: Description,
  keys: readonly ExportedKey[],
): SigningAlgorithm {
  // The file may be trusted without authentication.
  if (token_algorithm !== undefined) return token_algorithm === 'HS256' ? 'HS256' : 'RS256'
  // Version 0.2.0 signed with HS256 unless TOKEN_ALGORITHM said otherwise.
  const signed = keys.filter(
    ({ purpose, retiredAt }) => purpose === 'signing' && retiredAt === null,
  )
  const isRsa = signed.length > 0 && signed.every(({ algorithm }) => algorithm === 'RS256')
  return isRsa ? 'RS256' : 'HS256'
}

/** @throws Error if a key that the operator configures signed tokens: a restore cannot drop it */
async function assertTokensEnd({ config }: BackupDeps, description: Description): Promise<void> {
  const signed = new Set(description.operator_keys)
  if (!(await operatorKeys(config)).some(({ kid }) => signed.has(kid))) return
  throw new Error(
    'TOKEN_SECRET or TOKEN_PRIVATE_KEY has signed tokens that would be valid again: ' +
      'set another one, or --keep-logins',
  )
}
