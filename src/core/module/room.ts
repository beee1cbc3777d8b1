import { extname } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { RawBuilder } from 'kysely'
import type { SettingName } from '../config/settings-table.ts'
import type { DatabaseOrTransaction } from '../database/database.ts'
import type { Migration } from '../database/migrations/statement.ts'
import type { ErrorRow } from '../errors.ts'
import type { Authenticator } from '../http/routes/declaration.ts'
import type { Tag, TagName } from '../http/tags.ts'
import type { Reason } from '../reasons/guards.ts'
import type { Job } from '../runtime/jobs.ts'
import type { ExportSection } from './person.ts'

/**
 * The manifest of a room, which its `room.ts` exports. `src/rooms.ts` lists the rooms. The server,
 * the command line, backup, erasure, the documents and the architecture test read the manifests. A
 * name that two of them claim stops the start.
 *
 * The command line reads the manifests for its help, so a manifest loads no other file: what runs is
 * in modules that are imported when they are needed, and files of events, settings and commands are
 * URLs. `Needs` is the parameter of those parts: the services and deps that the room uses, which
 * `rooms.ts` checks.
 */
export interface Room<Needs = unknown> extends RoomNames {
  /** Imports `parts.ts`: what the room adds to the server. All rooms are loaded at once: `loadParts`. */
  readonly parts?: () => Promise<{ readonly parts: RoomParts<Needs> }>
  /** Makes what is called when an account ends. Not one of the parts: the command line ends accounts too. */
  readonly onAccountEnded?: (needs: Needs) => Promise<OnAccountEnded>
  /** What the room holds of a person: a table with `excluded` is left out. */
  readonly personalData?: (needs: Needs) => Promise<readonly ExportSection[]>
  /** Makes what is called when a user is erased, for what no foreign key reaches. */
  readonly onErasure?: (needs: Needs) => Promise<OnErasure>
}

/** What of a room runs in the server. */
export interface RoomParts<Needs = unknown> {
  /** A Fastify plugin that registers the routes. */
  readonly routes?: (app: FastifyInstance, needs: Needs) => Promise<void>
  /**
   * Answers the given authenticators of the rooms before this one, followed by its own. It may wrap
   * a given authenticator, so that the same scheme accepts more credentials.
   */
  readonly authenticators?: (
    needs: Needs,
    before: readonly Authenticator[],
  ) => readonly Authenticator[]
  readonly jobs?: (needs: Needs) => readonly RoomJob[]
}

/** The part of a manifest that needs no services. */
export interface RoomNames {
  /** The name of its folder. */
  readonly name: string
  /** The tag of its operations in OpenAPI, unless a route names another one. */
  readonly tag?: TagName | Tag
  /** In an order in which each row follows the rows that it refers to. */
  readonly tables?: readonly RoomTable[]
  /**
   * The migrations of an external room, append only and numbered by room. The tables of the
   * service's own rooms refer to each other, so their migrations share one numbering, in
   * database/migrations/.
   */
  readonly migrations?: readonly Migration[]
  /** Login methods, each with its authentication method references (RFC 8176). */
  readonly methods?: readonly { readonly name: string; readonly amr: readonly string[] }[]
  /** The file of its event types; the floor has several. */
  readonly events?: URL | readonly URL[]
  /** Names in the error table that belong to this room, or errors of its own. */
  readonly errors?: readonly ErrorRow[]
  /**
   * The reasons of its refusals, for the operator; only an external room has any, and each of its
   * codes begins with `x-`. Those of the service stand in reasons/reasons.ts.
   */
  readonly reasons?: Readonly<Record<`x-${string}`, Reason>>
  /** Names in the settings table that belong to this room, or the file of a table of its own. */
  readonly settings?: readonly SettingName[] | URL
  readonly commands?: readonly RoomCommands[]
  /** Request headers of its own: CORS allows them, and the log redacts the secret ones. */
  readonly requestHeaders?: readonly { readonly name: string; readonly isSecret?: true }[]
}

/** A table, with its part in copies and in the erasure of a user. */
export interface RoomTable {
  readonly name: string
  /** The primary key, by which a copy reads the table; empty if the table is left out. */
  readonly key: readonly string[]
  /** A table of a later room that its rows refer to, which is copied first. */
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
  /** The condition of the rows to copy, which leaves out staged rows of an import. */
  readonly present?: () => Promise<RawBuilder<boolean>>
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
   * reads of the table answer null for a user that is not present meanwhile.
   */
  readonly inSteps?: true
  /** Why the export of a person's data does not tell these rows. */
  readonly excluded?: string
}

/**
 * A job beside the requests: any work, or work in steps, like the purge of expired rows. A step does
 * up to `batchSize` rows, and answers how many; a smaller number ends the run. Without `everyMs` it
 * runs once a minute.
 */
export type RoomJob =
  | Job
  | {
      readonly name: string
      readonly everyMs?: number
      readonly purge: (batchSize: number) => Promise<number>
    }

/** Commands of the command line, and the file that exports their code as `commands`. */
export interface RoomCommands {
  readonly rows: readonly CommandRow[]
  readonly file: URL
  /** Settings of other rooms that decide what the commands do. */
  readonly settings?: readonly SettingName[]
}

/** A command in the list of commands, which is shown without loading the command. */
export interface CommandRow {
  /** For example `keys rotate`. */
  readonly name: string
  /**
   * The names of its operands; the last may end with `...`, for one or more values. Those in
   * brackets, `[name]`, may be left out, from the last on.
   */
  readonly operands?: readonly string[]
  readonly summary: string
}

/** The end of the logins of an account, or of some of them. */
export interface AccountEnd {
  readonly userId: number
  /** The access tokens with a lower version have ended. */
  readonly accessVersion: number
  /** Whether sessions and refresh tokens end too; they need not for new roles, which they read. */
  readonly endsLogins: boolean
  /** The session that continues, because it requested the change. */
  readonly keepSession: string | undefined
  /** Whether the account is deleted. */
  readonly isRemoved: boolean
}

/** Called inside the transaction that ends the logins of an account; an error undoes it. */
export type OnAccountEnded = (trx: DatabaseOrTransaction, end: AccountEnd) => Promise<void>

/**
 * Called inside the transaction that removes a user, before its rows go, and again some minutes later
 * without them: for what another process has written meanwhile.
 */
export type OnErasure = (trx: DatabaseOrTransaction, userId: number) => Promise<void>

/** Answers the URL of a module beside a manifest, to be imported when it is used. */
export function fileBeside(manifest: string, path: string): URL {
  return new URL(path + extname(manifest), manifest) // .ts in the sources, .js in the package
}
