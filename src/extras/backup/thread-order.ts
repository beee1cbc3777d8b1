import type { Config } from '../../core/config/load.ts'
import { withMethods, withoutMethods } from '../../core/database/of-thread.ts'
import { stagedConditions } from '../../core/database/staged.ts'
import type { MasterKeyConfig } from '../../modules/keys/master-key.ts'
import type { CopiedTable, Tables } from './copied-tables.ts'
import type { ReadBack } from './read-back.ts'

type Settings = MasterKeyConfig & Pick<Config, 'token'>

/** What the thread of a backup is told: it has no config, no modules and no clock of its own. */
export interface Order {
  readonly path: string
  readonly passphrase: string
  readonly settings: Settings
  readonly tables: Tables
  /** When it begins, for the description of the backup. */
  readonly now: number
}

/** What the thread says. */
export type Said =
  | { readonly kind: 'progress' }
  /** It is on the disk and was read back; the thread waits for `publish`. */
  | { readonly kind: 'verified'; readonly made: ReadBack }
  | { readonly kind: 'published' }
  | { readonly kind: 'failed'; readonly message: string; readonly code: string | undefined }

/** What the thread hears. */
export type Heard = 'publish' | 'stop'

type Condition = keyof typeof stagedConditions
const conditions = Object.keys(stagedConditions) as Condition[] // its own keys

/** An order of which a thread gets a copy: objects with methods are texts. */
export interface SentOrder extends Pick<Order, 'path' | 'passphrase' | 'now'> {
  readonly settings: unknown
  readonly tables: Omit<Tables, 'copied'> & {
    readonly copied: readonly (Omit<CopiedTable, 'unlessStaged'> & {
      readonly condition?: Condition
    })[]
  }
}

/** Converts an order. @throws Error for a table whose condition has no name */
export function sent({ settings, tables, ...order }: Order): SentOrder {
  const { masterKey, masterKeyFiles, nextMasterKey, database, token } = settings
  return {
    ...order,
    settings: withoutMethods({ masterKey, masterKeyFiles, nextMasterKey, database, token }),
    tables: {
      ...tables,
      modules: tables.modules.map(({ name, migrations = [], tables: owned = [] }) => ({
        ...{ name, migrations },
        tables: owned.map((table) => ({ name: table.name })),
      })),
      copied: tables.copied.map(({ unlessStaged, ...table }) => {
        if (!unlessStaged) return table
        const condition = conditions.find((name) => stagedConditions[name] === unlessStaged)
        if (!condition)
          throw new Error(`the condition of ${table.name} is not in database/staged.ts`)
        return { ...table, condition }
      }),
    },
  }
}

/** Converts it back, in the thread. */
export function received({ settings, tables, ...order }: SentOrder): Order {
  return {
    ...order,
    settings: withMethods(settings) as Settings, // as `sent` made it
    tables: {
      ...tables,
      copied: tables.copied.map(({ condition, ...table }) => ({
        ...table,
        ...(condition && { unlessStaged: stagedConditions[condition] }),
      })),
    },
  }
}
