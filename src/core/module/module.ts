import type { ModuleChecks } from '../checks/module-checks.ts'
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
 * A module: a feature, with all that it adds to the program. `src/modules.ts` lists the modules. The
 * server, the command line, backup, erasure, the documents and the architecture test read them. A
 * name that two modules claim stops the start.
 *
 * The command line reads all modules for its help, so a `module.ts` loads no code: it imports what
 * runs when that is needed.
 */
export interface Module extends ModuleNames {
  /** Imports the files of its routes. */
  readonly routes?: () => Promise<RouteFile | readonly RouteFile[]>
  /** Imports the files of its pages: their routes share a limit of requests. */
  readonly pages?: () => Promise<RouteFile | readonly RouteFile[]>
  /** Imports files of routes that are registered last, where no other module has the path. */
  readonly fallbackRoutes?: () => Promise<RouteFile | readonly RouteFile[]>
  /** Loads the code of the authenticators; answers a function that adds them. */
  readonly authenticators?: () => Promise<AddAuthenticators>
  readonly jobs?: (needs: Needs) => readonly ModuleJob[]
  /** Imports the file of its services and of what it does at hook points. */
  readonly services?: () => Promise<ModuleServices>
  /** Loads the code that exports traces, before the database is opened; of several modules, the first. */
  readonly tracing?: (config: Config) => Promise<CreateTracing | null>
  /** Generated documents of the module in docs/: each is made of what stands there now. */
  readonly documents?: Readonly<
    Record<string, (text: string, modules: readonly Module[]) => Promise<string>>
  >
  /** What the doctor checks of the module. */
  readonly checks?: () => Promise<{ readonly checks: ModuleChecks }>
  /** What status, metrics, statistics and readiness show of the module. */
  readonly monitoring?: () => Promise<{ readonly monitoring: Monitoring }>
}

/** A file of routes. */
export interface RouteFile {
  /** Registers the routes, in a Fastify context of their own. */
  readonly routes: (app: App, needs: Needs) => Promise<void>
  /** Registers the routes once below each prefix. */
  readonly prefixes?: readonly string[]
}

/**
 * Answers the given authenticators of the modules before this one, followed by its own. It may wrap a
 * given authenticator, so that the same scheme accepts more credentials.
 */
export type AddAuthenticators = (
  needs: Needs,
  before: readonly Authenticator[],
) => readonly Authenticator[]

/** The part of a module that needs no services. */
export interface ModuleNames {
  /** The name of its folder. */
  readonly name: string
  /** Other removable modules without which it does not compile or start: see `npm run without`. */
  readonly requires?: readonly string[]
  /** The tag of its operations in OpenAPI, unless a route names another one. */
  readonly tag?: TagName | Tag
  /** In an order in which each row follows the rows that it refers to. */
  readonly tables?: readonly ModuleTable[]
  /**
   * Append only, and numbered by module; they run after the migrations of database/migrations/, which
   * made the tables of the service's modules until 0.11. They only add, so that a program of the
   * version before works on a newer schema; what takes away is a `contract` there.
   */
  readonly migrations?: readonly Migration[]
  /** Login methods, each with its authentication method references (RFC 8176). */
  readonly methods?: readonly { readonly name: string; readonly amr: readonly string[] }[]
  /** The category of its events in the API, where this is not the name of the folder. */
  readonly eventCategory?: string
  /** Imports the file of its event types; the core has several. */
  readonly events?: () => Promise<object>
  /** Its own errors; the error table belongs to the core. */
  readonly errors?: readonly Problem[]
  /**
   * Imports the reasons of its refusals; the core has several files. Each code of an external module
   * begins with `x-`.
   */
  readonly reasons?: () => Promise<ReasonFile | readonly ReasonFile[]>
  /** Imports its settings, and what checks the settings and makes its part of `Config`. */
  readonly settings?: LoadSettings
  readonly commands?: readonly ModuleCommands[]
  /** Request headers of its own: CORS allows them, and the log redacts the secret ones. */
  readonly requestHeaders?: readonly { readonly name: string; readonly isSecret?: true }[]
}

/** A file of reasons, by their codes. */
export interface ReasonFile {
  readonly reasons: Readonly<Record<string, Reason>>
}

export type LoadSettings = () => Promise<{
  readonly settings: SettingsTable
  readonly configure?: ModuleSettings['configure']
}>

/** A table, with its part in copies and in the erasure of a user. */
export interface ModuleTable {
  readonly name: string
  /** The primary key, by which a copy reads the table; empty if the table is left out. */
  readonly key: readonly string[]
  /** A table of a later module that its rows refer to, which is copied first. */
  readonly refersTo?: string
  /** The reason if copies leave the table out. */
  readonly leftOut?: string
  /** The column of the user id, and the effect of the user's deletion on the row. */
  readonly person?: Person
  /** The database generates the key, an integer, and never generates one twice. */
  readonly givesIds?: true
  /** A row is a login, for example a session; a restore leaves it out unless it keeps logins. */
  readonly isLogin?: true
  /** Columns that are encrypted under the data key, useless without the key set. */
  readonly sealed?: readonly string[]
  /** Its rows are worth nothing without the key set: a copy without keys leaves them out. */
  readonly needsKeys?: true
  /** Columns that are not copied, because another database cannot use them. */
  readonly blank?: readonly string[]
  /** The columns for text that can name a person, and what becomes of their text at an erasure. */
  readonly namesPerson?: { readonly columns: readonly string[]; readonly atErasure: string }
  /** The other columns for text: ids, digests, states and the like. */
  readonly namesNone?: readonly string[]
  /** The condition of the rows to copy, which leaves out staged rows of an import. */
  readonly present?: PendingImportCondition | undefined
}

export interface Person {
  readonly column: string
  /**
   * The effect of the user's deletion. A foreign key implements `delete` and `set-null`, which a
   * start verifies; `kept` states the reason.
   */
  readonly onDelete: 'delete' | 'set-null' | { readonly kept: string }
  /**
   * A user may have very many of these rows. They are cleared in steps after the deletion, and all
   * reads of the table answer null for a user that is not present.
   */
  readonly inSteps?: true
  /** Why the export of a person's data leaves out these rows. */
  readonly excluded?: string
}

/**
 * A job beside the requests: any work, or work in steps, like the purge of expired rows. A step does
 * up to `batchSize` rows, and answers how many; a smaller number ends the run. Without `everyMs` it
 * runs once a minute.
 */
export type ModuleJob =
  | Job
  | {
      readonly name: string
      readonly everyMs?: number
      readonly purge: (batchSize: number) => Promise<number>
    }

/** Commands of the command line, and what imports their code. */
export interface ModuleCommands {
  readonly rows: readonly CommandRow[]
  /** Imports a file whose `commands` are what cli/command.ts describes. */
  readonly load: () => Promise<{ readonly commands: readonly { readonly name: string }[] }>
  /** Settings of other modules that decide what the commands do. */
  readonly settings?: readonly SettingName[]
}

/** A command in the list of commands, which is shown without loading the command. */
export interface CommandRow {
  /** For example `keys rotate`. */
  readonly name: string
  /** The name before a renaming, which works until 1.0, and which no help shows. */
  readonly formerly?: string
  /**
   * The names of its operands; the last may end with `...`, for one or more values. Those in
   * brackets, `[name]`, may be left out, from the last on.
   */
  readonly operands?: readonly string[]
  readonly summary: string
}
