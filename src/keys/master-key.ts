import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config/load.ts'
import { parseMasterKey } from '../config/settings-table.ts'
import { type Random, randomText } from '../kernel/random.ts'
import { systemCode } from '../kernel/reason.ts'

const fileName = 'master.key'
const masterKeyBytes = 32

export interface MasterKeyOptions {
  readonly config: Pick<Config, 'masterKey' | 'database'>
  readonly random: Random
  /** Whether a missing file may be created: not if the database holds keys that it has sealed. */
  readonly mayCreate: boolean
}

/**
 * Loads the key that seals the key set: `MASTER_KEY`, otherwise `DATA_DIR/master.key`, which the
 * first start creates with mode 0600.
 * @throws Error if the file is missing, malformed or readable by other users
 */
export function loadMasterKey({ config, random, mayCreate }: MasterKeyOptions): Uint8Array {
  if (config.masterKey) return parseMasterKey(config.masterKey.reveal())
  const path = join(config.database.dataDirectory, fileName)
  if (mayCreate) createOnce(path, randomText(random, masterKeyBytes))
  let text: string
  try {
    text = readFileSync(path, 'utf8').trim()
  } catch (cause) {
    throw new Error(`${path} cannot be read, and the key set in the database needs it`, { cause })
  }
  if (statSync(path).mode & 0o077) {
    throw new Error(`${path} can be read by other users: chmod 600 it, and consider it known`)
  }
  try {
    return parseMasterKey(text)
  } catch (cause) {
    throw new Error(`${path} holds no master key`, { cause })
  }
}

/** Creates a file atomically: another process may read it meanwhile, or the disk may be full. */
function createOnce(path: string, text: string): void {
  const draft = `${path}.${process.pid}`
  try {
    writeFileSync(draft, `${text}\n`, { mode: 0o600, flush: true })
    linkSync(draft, path)
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
}
