import type { Config } from '../config/load.ts'
import type { Check } from './check.ts'
import type { InsideContext, OfflineContext, OutsideContext } from './context.ts'

/** Exported by `checks.ts` of a module as `checks`. */
export interface ModuleChecks {
  readonly offline?: readonly Check<OfflineContext>[]
  /** An error skips the checks that need the database. */
  readonly opening?: readonly Check<InsideContext>[]
  readonly inside?: readonly Check<InsideContext>[]
  readonly outside?: readonly Check<OutsideContext>[]
  /** Access rules in files of the operator, by setting. */
  readonly operatorFiles?: (config: Config) => Readonly<Record<string, string | undefined>>
  /** Whether the service uses this database. */
  readonly isOwnService?: (context: OutsideContext) => Promise<boolean>
}
