import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Needs } from '../../core/module/services.ts'
import { voidPasswordSince } from '../../modules/passwords/passwords.ts'

export type UndoDeps = Pick<
  Needs,
  'accounts' | 'confirmations' | 'devices' | 'identities' | 'secondFactor'
>

/** Removed without an event of its own. */
export interface Undone {
  readonly hadNewPassword: boolean
}

/**
 * Removes additions since an address change was requested (epoch milliseconds), and cancels a
 * pending deletion: a thief may have done both. The caller ends all logins. docs/adr/0074
 */
export type UndoSince = (
  trx: DatabaseOrTransaction,
  userId: number,
  since: number,
) => Promise<Undone>

export function createUndo(deps: UndoDeps): UndoSince {
  const { accounts, confirmations, devices, identities, secondFactor } = deps
  return async (trx, userId, since) => {
    await secondFactor.removeSince(trx, userId, since)
    await identities.unlinkSince(trx, userId, since)
    const hadNewPassword = await voidPasswordSince(trx, userId, since)
    await devices.forget(trx, userId)
    await accounts.cancelDeletion(trx, userId)
    // The deletion's undo link was mailed to the removed address.
    await confirmations.cancelAll(trx, userId, ['deletion_undo'])
    return { hadNewPassword }
  }
}
