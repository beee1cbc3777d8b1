import type { DatabaseOrTransaction } from '../database/database.ts'
import { accountStore, type EndedTokens } from './store.ts'

/** What other rooms do when an account ends its logins. */
export interface EndingHooks {
  /** Inside the transaction: end the sessions of the account, all but one. */
  readonly ending: readonly ((
    trx: DatabaseOrTransaction,
    userId: number,
    keepSession: string | undefined,
  ) => Promise<void>)[]
  /** Inside the transaction: end the user's access tokens of a lower version. */
  readonly revoking: readonly ((
    trx: DatabaseOrTransaction,
    userId: number,
    accessVersion: number,
  ) => Promise<void>)[]
}

export const everything: EndedTokens = { access: true, refresh: true }

/** Ends logins in the transaction of what caused it. */
export type EndTokens = (
  trx: DatabaseOrTransaction,
  userId: number,
  ended: EndedTokens,
  keepSession?: string,
) => Promise<void>

/** Sessions end where refresh tokens do: new roles alone show in a session by themselves. */
export function createEndTokens(hooks: EndingHooks): EndTokens {
  return async (trx, userId, ended, keepSession) => {
    if (!ended.access && !ended.refresh) return
    const accessVersion = await accountStore(trx).raiseVersions(userId, ended)
    for (const revoking of hooks.revoking) await revoking(trx, userId, accessVersion)
    if (!ended.refresh) return
    for (const ending of hooks.ending) await ending(trx, userId, keepSession)
  }
}
