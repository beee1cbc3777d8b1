import { versionOf } from '../../core/config/read-file.ts'
import { reasonOf } from '../../core/reason.ts'
import {
  type MasterKeyOptions,
  type MasterKeys,
  masterKeyId,
  nextOwnFile,
  ownFile,
  readMasterKeys,
} from './master-key.ts'
import { opens, unsealKey } from './sealed-key.ts'
import type { SealedKey } from './store.ts'

/** The master keys that this process knows; one of the keys seals the key set. */
export interface MasterRing {
  /** The short names of the keys; the key of the current settings first. */
  ids(): readonly string[]
  known(): readonly Uint8Array[]
  /**
   * The known key that seals the newest row; without rows, the key of the settings.
   * @throws Error if no known key seals the rows
   */
  sealing(stored: readonly SealedKey[]): Uint8Array
  /** Opens a row with any known key. @throws Error */
  open(key: SealedKey): Uint8Array
  /** Reads the files again; true if the keys changed. */
  reread(): boolean
  /** A cheap text that changes with the files. */
  version(): Promise<string>
  /** Why a file cannot be used. */
  mistakes(): readonly string[]
}

/** @throws Error as `loadMasterKey` */
export function createMasterRing(options: MasterKeyOptions): MasterRing {
  const { config } = options
  let read: MasterKeys = readMasterKeys(options)
  // Stays known until another key opens the key set: two files cannot be replaced at once.
  let inUse: Uint8Array | undefined
  const { present = ownFile(config), next = nextOwnFile(config) } = config.masterKeyFiles ?? {}

  const known = () =>
    inUse && !read.keys.some((key) => isSame(key, inUse)) ? [...read.keys, inUse] : read.keys
  const find = (key: SealedKey) => known().find((masterKey) => opens(masterKey, key))

  return {
    ids: () => known().map(masterKeyId),
    known,
    sealing(stored) {
      const [newest] = stored
      const found = newest ? find(newest) : read.keys[0]
      if (!found) throw new Error(notOpened)
      inUse = found
      return found
    },
    open(key) {
      const found = find(key)
      if (!found) throw new Error(notOpened)
      return unsealKey(found, key)
    },
    reread() {
      const before = known().map(masterKeyId).join()
      try {
        read = readMasterKeys({ ...options, mayCreate: false })
      } catch (error) {
        // The key read at the start still opens the database.
        read = { keys: read.keys, mistakes: [reasonOf(error)] }
      }
      return known().map(masterKeyId).join() !== before
    },
    version: async () => (await Promise.all([present, next].map(versionOf))).join(' '),
    mistakes: () => read.mistakes,
  }
}

function isSame(one: Uint8Array, other: Uint8Array | undefined): boolean {
  return other !== undefined && Buffer.from(one).equals(other)
}

export const notOpened = 'the master key does not open the key set in the database'
