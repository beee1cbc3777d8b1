import type { Account } from './account.ts'

/**
 * RFC 8176 section 2. Two names are our own: `fed`, an identity provider vouched, and `email`, a
 * mailed code. A module from outside has names of its own.
 */
export type Amr =
  | 'pwd'
  | 'otp'
  | 'mfa'
  | 'hwk'
  | 'swk'
  | 'user'
  | 'pin'
  | 'fed'
  | 'email'
  | `x-${string}`

/** Never recent. */
export const unknownAuthTime = 0

export interface Evidence {
  readonly account: Account
  readonly amr: readonly Amr[]
  /** First proof, in epoch milliseconds; `unknownAuthTime` if unknown. */
  readonly authTime: number
  /**
   * A remembered device takes the place of the second factor. It is no proof: `amr` never has `mfa`
   * by it.
   */
  readonly isRemembered?: boolean
}
