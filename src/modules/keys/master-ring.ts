import { versionOf } from '../../core/config/file-version.ts'
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

/** The master keys that this process knows, of which one seals the key set of the database. */
export interface MasterRing {
  /** The short names of the known keys, that of the present settings first. */
  ids(): readonly string[]
  known(): readonly Uint8Array[]
  /**
   * The known key that seals these rows: of the newest of them, because a key that is inserted is
   * sealed as the others are. That of the settings if there is no row.
   * @throws Error if no known key does
   */
  sealing(stored: readonly SealedKey[]): Uint8Array
  /** Opens a row by whichever known key does. @throws Error */
  open(key: SealedKey): Uint8Array
  /** Reads the files anew; answers whether the keys are others than before. */
  reread(): boolean
  /** A text that differs after each change of the files, for a look that costs little. */
  version(): Promise<string>
  /** What keeps a file from being used. */
  mistakes(): readonly string[]
}

/** Reads the master keys. @throws Error as `loadMasterKey` */
export function createMasterRing(options: MasterKeyOptions): MasterRing {
  const { config } = options
  let read: MasterKeys = readMasterKeys(options)
  // Stays known until another one opens the key set: two files are not replaced at the same instant.
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
        // The service's own file; what it held at the start still opens what is in the database.
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
