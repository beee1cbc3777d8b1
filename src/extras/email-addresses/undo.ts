import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Needs } from '../../core/module/services.ts'
import { voidPasswordSince } from '../../modules/passwords/passwords.ts'

export type UndoDeps = Pick<
  Needs,
  'accounts' | 'confirmations' | 'devices' | 'identities' | 'secondFactor'
>

/** What a way back removed without an event of its own. */
export interface Undone {
  readonly hadNewPassword: boolean
}

/**
 * Removes what was added to an account since a change of its address was requested, and cancels a
 * pending deletion, in the transaction of the way back: a thief who changed the address may have done
 * both. `since` is in epoch milliseconds. The caller ends all logins. docs/adr/0074
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
    // The link of the deletion was mailed to the address that is removed now.
    await confirmations.cancelAll(trx, userId, ['deletion_undo'])
    return { hadNewPassword }
  }
}
