import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { OnAccountEnded } from '../../core/module/module.ts'
import { accountStore, type EndedTokens } from './store.ts'

/**
 * The work of other modules when logins of an account end; services.ts takes it from their manifests.
 */
export interface EndingHooks {
  readonly ended: readonly OnAccountEnded[]
}

export const everything: EndedTokens = { access: true, refresh: true }

/** Ends tokens and sessions of an account, in the transaction of the change that requires it. */
export type EndTokens = (
  trx: DatabaseOrTransaction,
  userId: number,
  ended: EndedTokens,
  options?: { readonly keepSession?: string | undefined; readonly isRemoved?: boolean },
) => Promise<void>

/** Creates `EndTokens`. Sessions end with the refresh tokens: a session shows new roles at once. */
export function createEndTokens(hooks: EndingHooks): EndTokens {
  return async (trx, userId, ended, { keepSession, isRemoved = false } = {}) => {
    if (!ended.access && !ended.refresh) return
    const accessVersion = await accountStore(trx).raiseVersions(userId, ended)
    const end = { userId, accessVersion, endsLogins: ended.refresh, keepSession, isRemoved }
    for (const followUp of hooks.ended) await followUp(trx, end)
  }
}
