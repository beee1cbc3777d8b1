import type { ModuleChecks } from '../checks/context.ts'
import type { SettingsTable } from '../config/kinds.ts'
import type { Config, ModuleSettings, SettingName } from '../config/load.ts'
import type { Migration } from '../database/migrations/statement.ts'
import type { PendingImportCondition } from '../database/pending-import.ts'
import type { Problem } from '../errors.ts'
import type { Authenticator } from '../http/routes/declaration.ts'
import type { App } from '../http/schemas.ts'
import type { Tag, TagName } from '../http/tags.ts'
import type { Reason } from '../reasons/types.ts'
import type { Job } from '../runtime/jobs.ts'
import type { CreateTracing } from '../runtime/tracing.ts'
import type { Monitoring } from './monitoring.ts'
import type { ModuleServices } from './service.ts'
import type { Needs } from './services.ts'

/**
 * A feature with everything that it adds to the program; `src/modules.ts` lists the modules. A
 * duplicate name stops the start.
 *
 * `module.ts` must load no code at import, because the command line reads all modules for its help.
 */
export interface Module extends ModuleNames {
  readonly routes?: () => Promise<RouteFile | readonly RouteFile[]>
  /** Page routes share a rate limit. */
  readonly pages?: () => Promise<RouteFile | readonly RouteFile[]>
  /** Registered last, for paths that no other module has. */
  readonly fallbackRoutes?: () => Promise<RouteFile | readonly RouteFile[]>
  readonly authenticators?: () => Promise<AddAuthenticators>
  readonly jobs?: (needs: Needs) => readonly ModuleJob[]
  readonly services?: () => Promise<ModuleServices>
  /** Loaded before the database opens; the first module wins. */
  readonly tracing?: (config: Config) => Promise<CreateTracing | null>
  /** Generated documents in docs/, from their current text. */
  readonly documents?: Readonly<
    Record<string, (text: string, modules: readonly Module[]) => Promise<string>>
  >
  /** Checks for the doctor. */
  readonly checks?: () => Promise<{ readonly checks: ModuleChecks }>
  readonly monitoring?: () => Promise<{ readonly monitoring: Monitoring }>
}

export interface RouteFile {
  /** Runs in its own Fastify context. */
  readonly routes: (app: App, needs: Needs) => Promise<void>
  /** Registers the routes below each prefix. */
  readonly prefixes?: readonly string[]
}

/**
 * Returns the given authenticators followed by its own. May wrap a given authenticator to accept
 * more credentials for its scheme.
 */
export type AddAuthenticators = (
  needs: Needs,
  before: readonly Authenticator[],
) => readonly Authenticator[]

export interface ModuleNames {
  /** The folder name. */
  readonly name: string
  /** Other removable modules that this module needs: see `npm run without`. */
  readonly requires?: readonly string[]
  /** Default OpenAPI tag of its operations. */
  readonly tag?: TagName | Tag
  /**
   * Scopes of keys. A safe route with the tag of the module has the scope `<name>:read`, another one
   * `<name>:write`, if the list has it.
   */
  readonly scopes?: readonly string[]
  /** Each table after the tables that its rows reference. */
  readonly tables?: readonly ModuleTable[]
  /**
   * Append only, numbered by module; run after database/migrations/ (all tables until 0.11). Only
   * additions, so that the previous version works on a newer schema; removals are a `contract`
   * there.
   */
  readonly migrations?: readonly Migration[]
  /** With `amr` values (RFC 8176). */
  readonly methods?: readonly { readonly name: string; readonly amr: readonly string[] }[]
  /** Default: the folder name. */
  readonly eventCategory?: string
  readonly events?: () => Promise<object>
  readonly errors?: readonly Problem[]
  /** Codes of external modules begin with `x-`. */
  readonly reasons?: () => Promise<ReasonFile | readonly ReasonFile[]>
  readonly settings?: LoadSettings
  readonly commands?: readonly ModuleCommands[]
  /**
   * A module from outside: the folder with its pages, texts and script. Our pages are in
   * `web/pages`. Only builds read it.
   */
  readonly web?: string
  /** CORS allows these headers; the log redacts secret headers. */
  readonly requestHeaders?: readonly { readonly name: string; readonly isSecret?: true }[]
}

export interface ReasonFile {
  readonly reasons: Readonly<Record<string, Reason>>
}

export type LoadSettings = () => Promise<{
  readonly settings: SettingsTable
  readonly configure?: ModuleSettings['configure']
}>

export interface ModuleTable {
  readonly name: string
  /** Used by copies; empty if the table is left out. */
  readonly key: readonly string[]
  /** A table of a later module, copied first. */
  readonly refersTo?: string
  /** The reason to leave the table out of copies. */
  readonly leftOut?: string
  readonly person?: Person
  /** Generated integers, never reused. */
  readonly givesIds?: true
  /** A row is a login, for example a session; a restore skips logins by default. */
  readonly isLogin?: true
  /** A restore leaves out rows with the value `only`, and writes (user_id, at) to `notedIn`. */
  readonly leftBehind?: {
    readonly only: readonly [column: string, value: string]
    readonly notedIn: string
  }
  /** Encrypted with the data key; useless without the key set. */
  readonly sealed?: readonly string[]
  /** Copies without keys skip the table. */
  readonly needsKeys?: true
  /** Not copied: useless in another database. */
  readonly blank?: readonly string[]
  /** Text columns that can name a person, and their handling at an erasure. */
  readonly namesPerson?: { readonly columns: readonly string[]; readonly atErasure: string }
  /** The other text columns: ids, digests, states. */
  readonly namesNone?: readonly string[]
  /** Excludes staged rows of an import from copies. */
  readonly present?: PendingImportCondition | undefined
}

export interface Person {
  readonly column: string
  /**
   * `delete` and `set-null` need a foreign key, which the start verifies; `kept` states the reason.
   */
  readonly onDelete: 'delete' | 'set-null' | { readonly kept: string }
  /**
   * For many rows: cleared in steps after the deletion, so all reads must return null for an absent
   * user.
   */
  readonly inSteps?: true
  /** Why the personal data export excludes these rows. */
  readonly excluded?: string
}

/**
 * Work in steps handles up to `batchSize` rows and returns the number; a smaller number ends the
 * run. Default: once a minute.
 */
export type ModuleJob =
  | Job
  | {
      readonly name: string
      readonly everyMs?: number
      readonly purge: (batchSize: number) => Promise<number>
    }

export interface ModuleCommands {
  readonly rows: readonly CommandRow[]
  /** See cli/command.ts. */
  readonly load: () => Promise<{ readonly commands: readonly { readonly name: string }[] }>
  /** Settings of other modules that the commands need. */
  readonly settings?: readonly SettingName[]
}

/** Shown in the help without loading the command. */
export interface CommandRow {
  /** For example `keys rotate`. */
  readonly name: string
  /** The former name, accepted until 1.0 and hidden in the help. */
  readonly formerly?: string
  /** A final `...` accepts several values. `[name]` is optional; optional operands come last. */
  readonly operands?: readonly string[]
  readonly summary: string
}
