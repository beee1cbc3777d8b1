import { disableTimeouts } from '../database/snapshot.ts'
import { committing } from '../database/transactions.ts'
import { operatorKeys } from '../keys/signing-key.ts'
import { importKeys, type TravellingKey } from '../keys/travelling-keys.ts'
import { type Archive, openArchive } from './archive-reader.ts'
import type { BackupDeps } from './backup.ts'
import { type OnProgress, withoutSealed } from './dump.ts'
import { backupRestored, ofMachine } from './events.ts'
import { type BackupHeader, byTable, fromLines, parseHeader } from './format.ts'
import { createKeyBox } from './key-box.ts'
import { loadDump } from './load.ts'
import type { TableName } from './rows.ts'
import { tablesOf } from './tables.ts'

export interface RestoreOptions {
  /** Asked, unless the backup goes `unverified`: opens the keys, authenticates the whole file. */
  readonly passphrase: () => Promise<string>
  /** The key set stays behind: authenticator apps and every token are void. */
  readonly withoutKeys: boolean
  /**
   * The file is believed as it is: its last writer decides who is administrator, and by what
   * password. Goes with `withoutKeys` alone.
   */
  readonly unverified: boolean
  /** Nothing has happened since the backup: sessions, tokens and ids go on where they were. */
  readonly keepLogins: boolean
  readonly onProgress?: OnProgress
}

export interface Restored {
  readonly createdAt: string
  readonly counts: ReadonlyMap<TableName, number>
}

/**
 * Fills an empty database from a backup, in one transaction. The whole file is verified before, by
 * the passphrase unless it goes `unverified`, and nothing is written where it is not what was
 * written once.
 *
 * A restore goes back in time: what ended after the backup (a session, a token, an administrator) must
 * not be alive again. So all logins end, unless told otherwise: sessions are left out, and so are the
 * keys that signed the tokens. @throws Error where any of it cannot be done; nothing is changed
 */
export async function restore(
  deps: BackupDeps,
  path: string,
  { passphrase, withoutKeys, unverified, keepLogins, onProgress }: RestoreOptions,
): Promise<Restored> {
  const archive = await openArchive(path)
  try {
    const header = parseHeader(archive.header)
    if (!keepLogins) await assertTokensEnd(deps, header)
    const opened = unverified ? [] : await openKeys(archive, header, passphrase)
    const keys = withoutKeys ? [] : opened
    const tables = await tablesOf(deps.rooms)
    const lines = fromLines(archive.lines(), tables)
    const dump = {
      schema: header.schema,
      rooms: new Map(Object.entries(header.rooms ?? {})),
      counts: byTable(header.counts, tables),
      lastIds: byTable(header.last_ids, tables),
      batches: withoutKeys ? withoutSealed(lines, tables) : lines,
    }
    const { clock } = deps
    const counts = await committing(() =>
      deps.db.transaction().execute(async (trx) => {
        await disableTimeouts(trx)
        const loaded = await loadDump(trx, dump, { clock, tables, keepLogins, onProgress })
        const kept = keys.filter(({ purpose }) => keepLogins || purpose === 'data')
        await importKeys(trx, deps, kept)
        await deps.events.record(trx, backupRestored, {
          file: path,
          created_at: header.created_at,
          users: loaded.get('users') ?? 0,
          logins_kept: keepLogins,
          verified: !unverified,
          ...ofMachine(),
        })
        return loaded
      }),
    )
    return { createdAt: header.created_at, counts }
  } finally {
    await archive.close()
  }
}

/** @throws Error where nothing proves that the file is what `backup` wrote */
async function openKeys(
  { sha256, mac }: Archive,
  { keys }: BackupHeader,
  passphrase: RestoreOptions['passphrase'],
): Promise<TravellingKey[]> {
  if (!keys) {
    throw new Error(
      'the backup has no keys: restore it --without-keys --unverified, once its SHA-256 is the one ' +
        'that `backup` printed: nothing else tells who wrote it',
    )
  }
  const box = await createKeyBox(await passphrase(), keys.salt)
  const opened = box.open(keys.sealed)
  if (!box.isMacOf(sha256, mac)) {
    throw new Error('the backup was changed by somebody who does not know the passphrase')
  }
  return opened
}

/** Keys of the operator's are not ours to leave behind. */
async function assertTokensEnd({ config }: BackupDeps, header: BackupHeader): Promise<void> {
  const signed = new Set(header.operator_keys)
  if (!(await operatorKeys(config)).some(({ kid }) => signed.has(kid))) return
  throw new Error(
    'TOKEN_SECRET or TOKEN_PRIVATE_KEY has signed tokens that would be valid again: ' +
      'set another one, or --keep-logins',
  )
}
