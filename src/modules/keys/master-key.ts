import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../core/config/load.ts'
import { derivedKey, digest } from '../../core/crypto/digest.ts'
import { type Random, randomText } from '../../core/crypto/random.ts'
import { reasonOf, systemCode } from '../../core/reason.ts'
import { parseMasterKey } from './settings.ts'

export const masterKeyFileName = 'master.key'
const masterKeyBytes = 32
const idLength = 12

/** The settings of the master keys. Values of files are read anew. */
export type MasterKeyConfig = Pick<Config, 'database' | 'masterKey'> &
  Partial<Pick<Config, 'masterKeyFiles' | 'nextMasterKey'>>

export interface MasterKeyOptions {
  readonly config: MasterKeyConfig
  readonly random: Random
  /** Whether a missing file may be created; false if the database holds sealed keys. */
  readonly mayCreate: boolean
}

/** The known master keys: two during a rotation. */
export interface MasterKeys {
  /** The current key, then the next key if it differs. */
  readonly keys: readonly [present: Uint8Array, ...next: Uint8Array[]]
  /** Why a file cannot be used; each begins with the setting or the path. */
  readonly mistakes: readonly string[]
}

/**
 * Loads `MASTER_KEY`, otherwise `DATA_DIR/master.key`, which the first start creates with mode
 * 0600.
 * @throws Error if the file is missing, malformed or readable by other users
 */
export function loadMasterKey({ config, random, mayCreate }: MasterKeyOptions): Uint8Array {
  if (config.masterKey) return parseMasterKey(config.masterKey.reveal())
  const path = ownFile(config)
  if (mayCreate) createOnce(path, randomText(random, masterKeyBytes))
  return readOwn(path)
}

/**
 * Reads the current and the next master key. The next key comes from `MASTER_KEY_NEXT`,
 * `MASTER_KEY_NEXT_FILE`, or the file of the current key with `.next`; a missing or empty file
 * means no next key. If the file of MASTER_KEY becomes unusable, the key of the start stays.
 * @throws Error as `loadMasterKey`
 */
export function readMasterKeys(options: MasterKeyOptions): MasterKeys {
  const { config } = options
  const mistakes: string[] = []
  const { present: presentFile, next: nextFile } = config.masterKeyFiles ?? {}
  const noting = (name: string, read: () => Uint8Array | null) => {
    try {
      return read()
    } catch (error) {
      mistakes.push(`${name} ${reasonOf(error)}`)
      return null
    }
  }
  const ofFile = presentFile ? noting('MASTER_KEY_FILE', () => readGiven(presentFile)) : null
  const present = ofFile ?? loadMasterKey(options)
  const next = config.nextMasterKey
    ? parseMasterKey(config.nextMasterKey.reveal())
    : nextFile
      ? noting('MASTER_KEY_NEXT_FILE', () => readKey(nextFile))
      : config.masterKey
        ? null
        : noting(nextOwnFile(config), () => readKey(nextOwnFile(config), { isOwn: true }))
  const isSame = next !== null && Buffer.from(next).equals(present)
  return { keys: next && !isSame ? [present, next] : [present], mistakes }
}

/** A short name of a master key, which reveals nothing of the key. */
export function masterKeyId(masterKey: Uint8Array): string {
  const name = Buffer.from(derivedKey(masterKey, 'master key id')).toString('base64url')
  return digest(name).slice(0, idLength)
}

/** The file of the key that the service generates. */
export function ownFile({ database }: Pick<Config, 'database'>): string {
  return join(database.dataDirectory, masterKeyFileName)
}

export function nextOwnFile(config: Pick<Config, 'database'>): string {
  return `${ownFile(config)}.next`
}

export function makeNextOwnFile(config: Pick<Config, 'database'>, random: Random): void {
  createOnce(nextOwnFile(config), randomText(random, masterKeyBytes))
}

function readGiven(path: string): Uint8Array {
  const key = readKey(path)
  if (!key) throw new Error(`is not there or empty: ${path}`)
  return key
}

function readOwn(path: string): Uint8Array {
  let text: string
  try {
    text = readFileSync(path, 'utf8').trim()
  } catch (cause) {
    throw new Error(`${path} cannot be read, and the key set in the database needs it`, { cause })
  }
  assertPrivate(path)
  try {
    return parseMasterKey(text)
  } catch (cause) {
    throw new Error(`${path} holds no master key`, { cause })
  }
}

/** Null if the file is missing or empty. @throws Error if the file holds anything else */
function readKey(path: string, { isOwn = false } = {}): Uint8Array | null {
  let text: string
  try {
    text = readFileSync(path, 'utf8').trim()
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null
    throw new Error(`cannot be read: ${path}`, { cause: error })
  }
  if (text === '') return null
  if (isOwn) assertPrivate(path)
  return parseMasterKey(text)
}

function assertPrivate(path: string): void {
  if (statSync(path).mode & 0o077) {
    throw new Error(`${path} can be read by other users: chmod 600 it, and consider it known`)
  }
}

/** Creates the file atomically: another process may read, or the disk may be full. */
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
