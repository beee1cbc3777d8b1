import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { connect } from '../src/core/database/connect.ts'
import type { Connected } from '../src/core/database/database.ts'
import { existingTables } from '../src/core/database/unowned-tables.ts'
import { createLog } from '../src/core/runtime/deps.ts'
import { eventsOf } from '../src/core/runtime/sinks.ts'
import type { BackupOptions } from '../src/extras/backup/backup.ts'
import { createEncryptedKeyBundle } from '../src/extras/backup/encrypted-key-bundle.ts'
import type { RestoreOptions } from '../src/extras/backup/restore.ts'
import { afterwards } from './afterwards.ts'
import { type TestApp, testApp } from './app.ts'
import { backup, copiedTables, restore } from './backups.ts'
import { fixedClock } from './clock.ts'
import { loadConfig } from './config.ts'
import { databaseSettings, nodes } from './database.ts'
import { seededRandom } from './random.ts'

export const passphrase = 'lamps harbour velvet tuba ocelot quarry'

/** A directory that is deleted after the test, the suite or the file that asks for it. */
export function folder(): string {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
  afterwards(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

let seeds = 100

/** A data directory with a database, which is empty unless it had one, and with keys of its own. */
export async function place(
  env: Record<string, string> = {},
  directory = folder(),
  clock = fixedClock(),
) {
  let connected: Connected | undefined
  afterwards(() => connected?.db.destroy()) // before anything is awaited, so that it is a hook of the caller
  const settings = await databaseSettings(directory, { isEmpty: true })
  const config = loadConfig({ ...settings, ...env })
  connected = connect({ ...config.database, synchronous: 'off', nodes })
  seeds += 1
  const log = createLog('silent')
  const events = eventsOf({ clock, log })
  const deps = { ...connected, config, clock, events, log, random: seededRandom(seeds) }
  const tables = async () => [...(await existingTables(deps.db))]
  return { directory, deps, tables }
}

/** Makes a backup of a running app, on a connection of its own, as the command line does. */
export async function backupOf(
  { directory, deps }: Pick<TestApp, 'directory' | 'deps'>,
  options: BackupOptions = { passphrase },
): Promise<string> {
  const { deps: own } = await place({}, directory)
  const path = join(folder(), 'backup')
  await backup({ ...own, config: deps.config, clock: deps.clock }, path, options)
  return path
}

/** Backups that version 0.7.0 made, in format 1, under the same passphrase. Never edited. */
export const ofVersion1 = {
  path: join(import.meta.dirname, 'backup/of-0.7.0.backup'),
  withoutKeys: join(import.meta.dirname, 'backup/of-0.7.0-without-keys.backup'),
}

/** The backup of version 0.7.0 under a passphrase that the present version refuses for new ones. */
export async function resealed(weak: string): Promise<Buffer> {
  const whole = readFileSync(ofVersion1.path)
  const headerEnd = whole.indexOf('\n')
  const header = JSON.parse(whole.subarray(0, headerEnd).toString())
  const { salt, sealed } = header.keys
  const opened = (await createEncryptedKeyBundle(passphrase, salt, 1)).open(sealed)
  const bundle = await createEncryptedKeyBundle(weak, salt, 1)
  const keys = { salt, sealed: bundle.seal(seededRandom(77), opened) }
  const signed = Buffer.concat([
    Buffer.from(JSON.stringify({ ...header, keys })),
    whole.subarray(headerEnd, whole.lastIndexOf('\n{"sha256"') + 1),
  ])
  return withDigest(signed, (sha256) => bundle.macOf(sha256))
}

/** Adds the last line of a backup: the digest of what is before it, which anyone can compute. */
export function withDigest(signed: Uint8Array, mac?: (sha256: string) => string | undefined) {
  const sha256 = createHash('sha256').update(signed).digest('hex')
  const lastLine = `${JSON.stringify({ sha256, mac: mac?.(sha256) })}\n`
  return Buffer.concat([signed, Buffer.from(lastLine)])
}

/** Settings with which a service makes backups by itself. */
export const byItself = () => ({ BACKUP_DIR: folder(), BACKUP_PASSPHRASE: passphrase })

export const restoring: RestoreOptions = {
  passphrase: async () => passphrase,
  withoutKeys: false,
  unverified: false,
  keepLogins: false,
}

/** Starts the service on a restored backup, in another directory with another master key. */
export async function restoredApp(
  path: string,
  { clock }: Pick<TestApp, 'clock'>,
  options: Partial<RestoreOptions> = {},
  env: Record<string, string> = {},
): Promise<TestApp> {
  const { deps, directory } = await place(env, folder(), clock)
  await restore(deps, path, { ...restoring, ...options })
  seeds += 1
  return testApp(env, { directory, clock, seed: seeds })
}

/** All rows of the copied tables in the order of their keys, without columns that are not copied. */
export async function rowsOf({
  deps: { db },
}: {
  deps: Pick<TestApp['deps'], 'db'>
}): Promise<Record<string, Record<string, unknown>[]>> {
  const rows: Record<string, Record<string, unknown>[]> = {}
  for (const { name, key, blank = [] } of copiedTables) {
    const order = sql.join(key.map((column) => sql.id(column)))
    const all = sql<Record<string, unknown>>`
      select * from ${sql.table(name)} order by ${order}`.execute(db)
    rows[name] = (await all).rows.map((row) =>
      Object.fromEntries(Object.entries(row).filter(([column]) => !blank.includes(column))),
    )
  }
  return rows
}
