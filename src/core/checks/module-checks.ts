import type { Config } from '../config/load.ts'
import type { Check } from './check.ts'
import type { InsideContext, OfflineContext, OutsideContext } from './context.ts'

/** The checks that a module adds to the doctor: its file `checks.ts` exports them as `checks`. */
export interface ModuleChecks {
  /** The checks that need no database. */
  readonly offline?: readonly Check<OfflineContext>[]
  /** The checks whether the database can be used: an error skips the checks that need it. */
  readonly opening?: readonly Check<InsideContext>[]
  /** The checks that need the database. */
  readonly inside?: readonly Check<InsideContext>[]
  readonly outside?: readonly Check<OutsideContext>[]
  /** The files that the operator writes and that decide who may do what, by setting. */
  readonly operatorFiles?: (config: Config) => Readonly<Record<string, string | undefined>>
  /** Whether the service at an address uses the database of the context. */
  readonly isOwnService?: (context: OutsideContext) => Promise<boolean>
}
