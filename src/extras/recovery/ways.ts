import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Needs } from '../../core/module/services.ts'
import type { Account } from '../../modules/authentication/account.ts'
import type { Stage } from '../../modules/authentication/requirement-table.ts'
import type { Confirmation } from '../one-time-tokens/confirmations.ts'
import type { ConfirmationPurpose } from '../one-time-tokens/purposes.ts'

/**
 * What a reset changes besides the password. Each requires the second factor and ends all logins.
 */
export interface ResetWay {
  /** Every reset ends lockouts. */
  readonly stage: Extract<Stage, 'change' | 'return'>
  /** The account after `first`, for the requirements. */
  readonly judged: (account: Account) => Account
  /** Runs before the account is reread and checked; false rejects. */
  readonly first: (
    deps: ResetWayDeps,
    trx: DatabaseOrTransaction,
    account: Account,
  ) => Promise<boolean>
}

export type ResetWayDeps = Pick<Needs, 'accounts'>

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

/** @throws Error for other purposes, which are rejected earlier */
export function resetWayOf({ purpose }: Pick<Confirmation, 'purpose'>): ResetWay {
  const known = resetPurposes.find((one) => one === purpose)
  if (!known) throw new Error(`a confirmation of ${purpose} resets no password`)
  return ways[known]
}
