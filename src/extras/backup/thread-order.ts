import type { Config } from '../../core/config/load.ts'
import { pendingImportConditions } from '../../core/database/pending-import.ts'
import { deserializeConfig, serializeConfig } from '../../core/database/thread-connection.ts'
import type { MasterKeyConfig } from '../../modules/keys/master-key.ts'
import type { CopiedTable, Tables } from './copied-tables.ts'
import type { ReadBack } from './read-back.ts'

type Settings = MasterKeyConfig & Pick<Config, 'token'>

/** The input of the thread of a backup. The thread has no config, no modules and no clock of its own. */
export interface Order {
  readonly path: string
  readonly passphrase: string
  readonly settings: Settings
  readonly tables: Tables
  /** When it begins, for the description of the backup. */
  readonly now: number
}

/** A message from the thread. */
export type FromWorker =
  | { readonly kind: 'progress' }
  /** It is on the disk and was read back; the thread waits for `publish`. */
  | { readonly kind: 'verified'; readonly made: ReadBack }
  | { readonly kind: 'published' }
  | { readonly kind: 'failed'; readonly message: string; readonly code: string | undefined }

/** A message to the thread. */
export type ToWorker = 'publish' | 'stop'

type Condition = keyof typeof pendingImportConditions
const conditions = Object.keys(pendingImportConditions) as Condition[] // its own keys

/** An order as a message to the thread: without objects that have methods. */
export interface SerializedOrder extends Pick<Order, 'path' | 'passphrase' | 'now'> {
  readonly settings: unknown
  readonly tables: Omit<Tables, 'copied'> & {
    readonly copied: readonly (Omit<CopiedTable, 'unlessStaged'> & {
      readonly condition?: Condition
    })[]
  }
}

/** Converts an order for the message to the thread. @throws Error for a table whose condition has no name */
export function serializeOrder({ settings, tables, ...order }: Order): SerializedOrder {
  const { masterKey, masterKeyFiles, nextMasterKey, database, token } = settings
  return {
    ...order,
    settings: serializeConfig({ masterKey, masterKeyFiles, nextMasterKey, database, token }),
    tables: {
      ...tables,
      modules: tables.modules.map(({ name, migrations = [], tables: owned = [] }) => ({
        ...{ name, migrations },
        tables: owned.map((table) => ({ name: table.name })),
      })),
      copied: tables.copied.map(({ unlessStaged, ...table }) => {
        if (!unlessStaged) return table
        const condition = conditions.find((name) => pendingImportConditions[name] === unlessStaged)
        if (!condition)
          throw new Error(`the condition of ${table.name} is not in database/pending-import.ts`)
        return { ...table, condition }
      }),
    },
  }
}

/** Converts the message back to an order, in the thread. */
export function deserializeOrder({ settings, tables, ...order }: SerializedOrder): Order {
  return {
    ...order,
    settings: deserializeConfig(settings) as Settings, // the result of `serializeOrder`
    tables: {
      ...tables,
      copied: tables.copied.map(({ condition, ...table }) => ({
        ...table,
        ...(condition && { unlessStaged: pendingImportConditions[condition] }),
      })),
    },
  }
}
