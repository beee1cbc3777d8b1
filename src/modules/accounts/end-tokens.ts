import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { HookPoints } from '../../core/module/hooks.ts'
import { accountStore, type EndedTokens } from './store.ts'

export interface EndingHooks {
  readonly ended: HookPoints['onAccountEnded']
}

export const everything: EndedTokens = { access: true, refresh: true }

/** Runs in the transaction of the change. */
export type EndTokens = (
  trx: DatabaseOrTransaction,
  userId: number,
  ended: EndedTokens,
  options?: { readonly keepSession?: string | undefined; readonly isRemoved?: boolean },
) => Promise<void>

/** Sessions end with refresh tokens only: a session reads new roles immediately. */
export function createEndTokens(hooks: EndingHooks): EndTokens {
  return async (trx, userId, ended, { keepSession, isRemoved = false } = {}) => {
    if (!ended.access && !ended.refresh) return
    const accessVersion = await accountStore(trx).raiseVersions(userId, ended)
    const endsLogins = ended.refresh
    await hooks.ended(trx, { userId, accessVersion, endsLogins, keepSession, isRemoved })
  }
}
