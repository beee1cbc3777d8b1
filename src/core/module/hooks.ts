import type { Logger } from 'pino'
import type { DatabaseOrTransaction } from '../database/database.ts'
import type { InsideReceiver } from '../events/events.ts'
import type { ExportSection } from './export-section.ts'

/**
 * The points at which modules take part in the work of others. A service names the points that it
 * calls; a module subscribes to a point in its services.ts. A point with types of one module is
 * declared there.
 */
export interface HookPoints {
  /** In the transaction that ends the logins of an account. */
  onAccountEnded: (trx: DatabaseOrTransaction, end: AccountEnd) => Promise<void>
  /** After the commit of a change of an account, before its answer. */
  onAccountChanged: (userId: number) => Promise<void>
  /** In the transaction that removes a user, while all rows of the user are there. */
  onUserRemoved: (trx: DatabaseOrTransaction, userId: number) => Promise<void>
  /** After the commit of a change of a user or of its removal, before the answer. */
  onUserChanged: (userId: number) => Promise<void>
  /**
   * In the transaction that removes a user, before its rows go, and again some minutes later without
   * them: for rows that no foreign key reaches, and rows that another process has written since.
   */
  onErasure: (trx: DatabaseOrTransaction, userId: number) => Promise<void>
  /** In the transaction of a login, never for Basic; `browser` is the secret of its cookie. */
  onSignedIn: (
    trx: DatabaseOrTransaction,
    account: { readonly userId: number; readonly email: string | null },
    browser: string | undefined,
  ) => Promise<void>
  /** In the transaction in which failed logins lock an account. */
  onLockedOut: (trx: DatabaseOrTransaction, userId: number) => Promise<void>
  /** In the transaction in which the session of a login proves a second factor. */
  onFactorProved: (trx: DatabaseOrTransaction, sessionId: string) => Promise<void>
  /** In the transaction that records an event of one of these names. */
  onEvent: InsideReceiver
  /**
   * Whether a user has an account with the role ADMIN. Under the account's lock the answer holds
   * until the commit.
   */
  isPrivileged: (db: DatabaseOrTransaction, userId: number) => Promise<boolean>
  /** Whether an account can prove its owner by a sign-in at an identity provider. */
  hasProvider: (userId: number) => Promise<boolean>
  /** Whether a sign-in may lead to an origin, beside REDIRECT_ORIGINS. */
  isRedirectOrigin: (origin: string) => boolean
  /** A warning for operators of a process that can serve; null if there is none. */
  readinessWarning: () => Promise<ReadinessWarning | null>
  /** Whether an administrator can have a mail sent that resets a password. */
  sendsReset: () => boolean
  /** Files outside the database with data of persons, for `compact`; null if there are none. */
  filesOutside: () => Promise<FilesOutside | null>
  /** What a module stores of a person: see `excluded` of a table for what is left out. */
  personSections: readonly ExportSection[]
}

export interface FilesOutside {
  readonly folder: string
  readonly count: number
  /** One of them, and several. */
  readonly nouns: readonly [string, string]
}

/** A warning that does not stop requests. docs/health.md has a row for each. */
export interface ReadinessWarning {
  /** One of `readinessWarnings` of the module: see `Monitoring`. */
  readonly warning: string
  readonly detail: string | null
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

export type HookName = keyof HookPoints

/** The subscribers of a point, in the order of the modules; they are complete when a process begins its work. */
export type Hook<Subscriber> = Iterable<{
  readonly module: string
  readonly subscriber: Subscriber
}>

/** What the subscribers of a point are. */
export function subscribersOf<Subscriber>(hook: Hook<Subscriber>): Subscriber[] {
  return [...hook].map(({ subscriber }) => subscriber)
}

type Follow<Args extends readonly unknown[]> = (...args: Args) => Promise<void>

/** Calls all subscribers, one after another; what one throws reaches the caller, and undoes its transaction. */
export function inTransaction<Args extends readonly unknown[]>(
  hook: Hook<Follow<Args>>,
): Follow<Args> {
  return async (...args) => {
    for (const { subscriber } of hook) await subscriber(...args)
  }
}

/** Calls all subscribers after a commit: what one throws is logged. */
export function afterwards<Args extends readonly unknown[]>(
  hook: Hook<Follow<Args>>,
  log: Pick<Logger, 'error'>,
): Follow<Args> {
  return async (...args) => {
    for (const { module, subscriber } of hook) {
      try {
        await subscriber(...args)
      } catch (error) {
        log.error({ err: error, module }, 'a hook failed after the commit')
      }
    }
  }
}

/** Whether one of the subscribers answers true; asks no further ones then. */
export function some<Args extends readonly unknown[]>(
  hook: Hook<(...args: Args) => Promise<boolean>>,
): (...args: Args) => Promise<boolean> {
  return async (...args) => {
    for (const { subscriber } of hook) if (await subscriber(...args)) return true
    return false
  }
}
