import type { Account } from '../authentication/account.ts'
import type { Confirmation } from '../confirmations/confirmations.ts'
import type { ConfirmationPurpose } from '../confirmations/purposes.ts'
import type { DatabaseOrTransaction } from '../database/database.ts'

/**
 * What a reset changes beside the password, by the purpose of its confirmation. Each reset asks for
 * the second factor, uses the confirmation up and ends all logins.
 */
export interface ResetWay {
  /** The account as `first` leaves it. The requirements judge this account. */
  readonly judged: (account: Account) => Account
  /** Work of the transaction, before the account is read again and judged. */
  readonly first: (trx: DatabaseOrTransaction, account: Account) => Promise<void>
}

/** The purposes of the confirmations that a reset takes. */
export const resetPurposes = ['reset'] as const satisfies readonly ConfirmationPurpose[]

const ways: Readonly<Record<(typeof resetPurposes)[number], ResetWay>> = {
  reset: { judged: (account) => account, first: async () => undefined },
}

/** @throws Error for a confirmation of another purpose, which its opening has refused */
export function resetWayOf({ purpose }: Pick<Confirmation, 'purpose'>): ResetWay {
  const known = resetPurposes.find((one) => one === purpose)
  if (!known) throw new Error(`a confirmation of ${purpose} resets no password`)
  return ways[known]
}
