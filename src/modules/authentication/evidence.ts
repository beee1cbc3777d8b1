import type { Account } from './account.ts'

/**
 * RFC 8176 section 2. Two names are our own: `fed`, an identity provider vouched, and `email`, a
 * mailed code.
 */
export type Amr = 'pwd' | 'otp' | 'mfa' | 'hwk' | 'user' | 'fed' | 'email'

/** Never recent. */
export const unknownAuthTime = 0

/** Whose account a login method has proved, how and when. */
export interface Evidence {
  readonly account: Account
  readonly amr: readonly Amr[]
  /** Time of the first proof, in epoch milliseconds; `unknownAuthTime` if a provider sent none. */
  readonly authTime: number
}
