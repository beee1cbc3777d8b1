import type { Logger } from 'pino'
import type { DatabaseOrTransaction } from '../database/database.ts'
import type { InsideReceiver } from '../events/events.ts'
import type { ExportSection } from './export-section.ts'

/**
 * A service names the hook points that it calls; a module subscribes in its services.ts. Hook
 * points with types of one module are declared in that module.
 */
export interface HookPoints {
  /** In the transaction that ends logins. */
  onAccountEnded: (trx: DatabaseOrTransaction, end: AccountEnd) => Promise<void>
  /** After the commit, before the response. */
  onAccountChanged: (userId: number) => Promise<void>
  /** In the transaction, before the rows of the user are deleted. */
  onUserRemoved: (trx: DatabaseOrTransaction, userId: number) => Promise<void>
  /** Also after a removal. After the commit, before the response. */
  onUserChanged: (userId: number) => Promise<void>
  /**
   * In the transaction that removes a user, and again minutes later, for rows without a foreign key
   * and rows that another process has written since.
   */
  onErasure: (trx: DatabaseOrTransaction, userId: number) => Promise<void>
  /** In the transaction of a login, except Basic; `browser` is the secret of its cookie. */
  onSignedIn: (
    trx: DatabaseOrTransaction,
    account: { readonly userId: number; readonly email: string | null },
    browser: string | undefined,
  ) => Promise<void>
  /** In the transaction of the lockout. */
  onLockedOut: (trx: DatabaseOrTransaction, userId: number) => Promise<void>
  /** In the transaction that records one of these events. */
  onEvent: InsideReceiver
  /** The role ADMIN. With the lock of the account, the result holds until the commit. */
  isPrivileged: (db: DatabaseOrTransaction, userId: number) => Promise<boolean>
  /** Whether an identity provider can authenticate the owner. */
  hasProvider: (userId: number) => Promise<boolean>
  /** In addition to REDIRECT_ORIGINS. */
  isRedirectOrigin: (origin: string) => boolean
  readinessWarning: () => Promise<ReadinessWarning | null>
  /** Whether administrators can send a password reset by mail. */
  sendsReset: () => boolean
  /** Personal data in files outside the database, for `compact`. */
  filesOutside: () => Promise<FilesOutside | null>
  /** `excluded` of a table states what is left out. */
  personSections: readonly ExportSection[]
  /** By what a user signs in, and how many of each, by name: for the pages of the own account. */
  waysIn: (userId: number) => Promise<Readonly<Record<string, number>>>
}

export interface FilesOutside {
  readonly folder: string
  readonly count: number
  /** Singular and plural. */
  readonly nouns: readonly [string, string]
}

/** Does not stop requests. docs/health.md documents each warning. */
export interface ReadinessWarning {
  /** One of `readinessWarnings` of the module: see `Monitoring`. */
  readonly warning: string
  readonly detail: string | null
}

export interface AccountEnd {
  readonly userId: number
  /** Access tokens with a lower version have ended. */
  readonly accessVersion: number
  /** False for new roles, which sessions and refresh tokens read. */
  readonly endsLogins: boolean
  /** The session that requested the change. */
  readonly keepSession: string | undefined
  readonly isRemoved: boolean
}

export type HookName = keyof HookPoints

/** In the order of the modules; complete when the process starts its work. */
export type Hook<Subscriber> = Iterable<{
  readonly module: string
  readonly subscriber: Subscriber
}>

export function subscribersOf<Subscriber>(hook: Hook<Subscriber>): Subscriber[] {
  return [...hook].map(({ subscriber }) => subscriber)
}

type Follow<Args extends readonly unknown[]> = (...args: Args) => Promise<void>

/** Runs sequentially; an error rolls back the transaction. */
export function inTransaction<Args extends readonly unknown[]>(
  hook: Hook<Follow<Args>>,
): Follow<Args> {
  return async (...args) => {
    for (const { subscriber } of hook) await subscriber(...args)
  }
}

/** For use after a commit: errors are logged. */
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

/** Stops at the first true. */
export function some<Args extends readonly unknown[]>(
  hook: Hook<(...args: Args) => Promise<boolean>>,
): (...args: Args) => Promise<boolean> {
  return async (...args) => {
    for (const { subscriber } of hook) if (await subscriber(...args)) return true
    return false
  }
}
