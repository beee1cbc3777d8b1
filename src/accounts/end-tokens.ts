import type { DatabaseOrTransaction } from '../database/database.ts'
import type { OnAccountEnded } from '../room/room.ts'
import { accountStore, type EndedTokens } from './store.ts'

/** What other rooms do when an account ends its logins; filled by services.ts from their manifests. */
export interface EndingHooks {
  readonly ended: readonly OnAccountEnded[]
}

export const everything: EndedTokens = { access: true, refresh: true }

/** Ends logins in the transaction of what caused it. */
export type EndTokens = (
  trx: DatabaseOrTransaction,
  userId: number,
  ended: EndedTokens,
  how?: { readonly keepSession?: string | undefined; readonly isRemoved?: boolean },
) => Promise<void>

/** Sessions end where refresh tokens do: new roles alone show in a session by themselves. */
export function createEndTokens(hooks: EndingHooks): EndTokens {
  return async (trx, userId, ended, { keepSession, isRemoved = false } = {}) => {
    if (!ended.access && !ended.refresh) return
    const accessVersion = await accountStore(trx).raiseVersions(userId, ended)
    const end = { userId, accessVersion, endsLogins: ended.refresh, keepSession, isRemoved }
    for (const followUp of hooks.ended) await followUp(trx, end)
  }
}
