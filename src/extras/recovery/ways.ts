import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Needs } from '../../core/module/services.ts'
import type { Account } from '../../modules/authentication/account.ts'
import type { Stage } from '../../modules/authentication/requirement-table.ts'
import type { Confirmation } from '../one-time-tokens/confirmations.ts'
import type { ConfirmationPurpose } from '../one-time-tokens/purposes.ts'

/**
 * What a reset changes beside the password, by the purpose of its confirmation. Each reset asks for
 * the second factor, uses the confirmation up and ends all logins.
 */
export interface ResetWay {
  /** The stage of the requirements. A lockout after failed logins ends with each reset. */
  readonly stage: Extract<Stage, 'change' | 'return'>
  /** The account after `first`, which the requirements check. */
  readonly judged: (account: Account) => Account
  /** Runs in the transaction, before the account is read again and checked; false refuses the reset. */
  readonly first: (
    deps: ResetWayDeps,
    trx: DatabaseOrTransaction,
    account: Account,
  ) => Promise<boolean>
}

export type ResetWayDeps = Pick<Needs, 'accounts'>

/** The purposes of the confirmations that a reset takes. */
export const resetPurposes = [
  'reset',
  'deletion_undo',
] as const satisfies readonly ConfirmationPurpose[]

const ways: Readonly<Record<(typeof resetPurposes)[number], ResetWay>> = {
  reset: { stage: 'change', judged: (account) => account, first: async () => true },
  deletion_undo: {
    stage: 'return',
    judged: (account) => ({ ...account, deletionAt: null }),
    first: ({ accounts }, trx, { userId }) => accounts.cancelDeletion(trx, userId),
  },
}

/** @throws Error for a confirmation of another purpose, which its opening has refused */
export function resetWayOf({ purpose }: Pick<Confirmation, 'purpose'>): ResetWay {
  const known = resetPurposes.find((one) => one === purpose)
  if (!known) throw new Error(`a confirmation of ${purpose} resets no password`)
  return ways[known]
}
