import { extname } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { RawBuilder } from 'kysely'
import type { SettingName } from '../config/settings-table.ts'
import type { DatabaseOrTransaction } from '../database/database.ts'
import type { Migration } from '../database/migrations/statement.ts'
import type { Authenticator } from '../http/routes/declaration.ts'
import type { ErrorRow } from '../kernel/errors.ts'
import type { Job } from '../runtime/jobs.ts'

/**
 * What a room says of itself, in its `room.ts`. The list of rooms stands in `src/rooms.ts`; the
 * server, the command line, backup, erasure, the documents and the architecture test read the
 * manifests. A name that two of them claim stops the start.
 *
 * The command line reads the manifests for its help, so a manifest loads nothing: what runs stands in
 * modules that are imported when they are wanted, and other files are named. `Needs` is what those parts
 * are given; a room names the services and the deps that it uses, and `rooms.ts` checks that they exist.
 */
export interface Room<Needs = unknown> extends RoomNames {
  /** Imports `parts.ts`: what the room adds to the server. All rooms are loaded at once: `loadParts`. */
  readonly parts?: () => Promise<{ readonly parts: RoomParts<Needs> }>
  /** Makes what is called when an account ends. Not one of the parts: the command line ends accounts too. */
  readonly onAccountEnded?: (needs: Needs) => Promise<OnAccountEnded>
}

/** What of a room runs in the server. */
export interface RoomParts<Needs = unknown> {
  /** A Fastify plugin that registers the routes. */
  readonly routes?: (app: FastifyInstance, needs: Needs) => Promise<void>
  /**
   * Answers the authenticators of the rooms before this one, followed by its own. It may wrap those
   * that it was given, to accept more by the same scheme.
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
  /** The tag of its operations in OpenAPI; absent: by the group of the path. */
  readonly tag?: string
  /** In an order in which each row comes after those that it refers to. */
  readonly tables?: readonly RoomTable[]
  /**
   * Of a room from outside, append only, counted by room. The tables of our own rooms refer to each
   * other: their migrations have one number, in database/migrations/.
   */
  readonly migrations?: readonly Migration[]
  /** Ways to log in, each with what it proves (RFC 8176). */
  readonly methods?: readonly { readonly name: string; readonly amr: readonly string[] }[]
  /** The file of its event types. */
  readonly events?: URL
  /** Rows of the error table that belong to this room, or problems of its own. */
  readonly errors?: readonly ErrorRow[]
  /** Rows of the settings table that belong to this room, or the file of a table of its own. */
  readonly settings?: readonly SettingName[] | URL
  readonly commands?: readonly RoomCommands[]
  /** Request headers of its own: a browser may send them, and the log cuts out the secret ones. */
  readonly requestHeaders?: readonly { readonly name: string; readonly isSecret?: true }[]
}

/** A table: how a copy takes it along or why it does not, and what becomes of it without its user. */
export interface RoomTable {
  readonly name: string
  /** Its primary key, in the order of which a copy reads it; empty if no copy does. */
  readonly key: readonly string[]
  /** A table of a later room that its rows refer to: a copy takes that one along first. */
  readonly refersTo?: string
  /** Why a copy leaves the table out. */
  readonly leftOut?: string
  /** The column that names a user, and what the end of that user does to the row. */
  readonly person?: Person
  /** Its ids are given out by the database, in `id`, and never twice. */
  readonly givesIds?: true
  /** Its rows are proof of a login; a restore leaves them out, unless told to keep logins. */
  readonly isLogin?: true
  /** Columns that only the data key opens. Worth nothing without the key set. */
  readonly sealed?: readonly string[]
  /** Columns that mean nothing elsewhere. */
  readonly blank?: readonly string[]
  /** The condition of the rows that a copy takes along; those of an import under way stay behind. */
  readonly present?: () => Promise<RawBuilder<boolean>>
}

export interface Person {
  readonly column: string
  /** The first two by a foreign key, which a start verifies; `kept` is said with its reason. */
  readonly gone: 'removed' | 'cleared' | { readonly kept: string }
}

/** Work beside the requests: of any kind, or the removal of at most so many rows that have expired. */
export type RoomJob =
  | Job
  | { readonly name: string; readonly purge: (most: number) => Promise<number> }

/** Commands of the command line, and the file that exports what they do as `commands`. */
export interface RoomCommands {
  readonly rows: readonly CommandRow[]
  readonly file: URL
}

/** What the list of commands shows: to show it loads none of them. */
export interface CommandRow {
  /** `keys rotate` */
  readonly name: string
  /** Words of its own; the last may end with `...` and stands for one or more. */
  readonly operands?: readonly string[]
  readonly summary: string
}

/** What happened to the logins of an account. */
export interface AccountEnd {
  readonly userId: number
  /** Its access tokens of a lower version have ended. */
  readonly accessVersion: number
  /** Whether its sessions and refresh tokens end too; new roles alone show in them by themselves. */
  readonly endsLogins: boolean
  /** The session that goes on: the one that asked for the change. */
  readonly keepSession: string | undefined
  /** Whether the account goes with them. */
  readonly isRemoved: boolean
}

/** Called inside the transaction that ends the logins of an account; an error undoes it. */
export type OnAccountEnded = (trx: DatabaseOrTransaction, end: AccountEnd) => Promise<void>

/** A module named relative to a manifest, to be imported when it is wanted. */
export function fileBeside(manifest: string, path: string): URL {
  return new URL(path + extname(manifest), manifest) // .ts in the sources, .js in the package
}
