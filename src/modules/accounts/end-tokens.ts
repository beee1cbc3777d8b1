import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { HookPoints } from '../../core/module/hooks.ts'
import { accountStore, type EndedTokens } from './store.ts'

/** The work of other modules when logins of an account end. */
export interface EndingHooks {
  readonly ended: HookPoints['onAccountEnded']
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
    const endsLogins = ended.refresh
    await hooks.ended(trx, { userId, accessVersion, endsLogins, keepSession, isRemoved })
  }
}
