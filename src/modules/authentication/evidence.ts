import type { Account } from './account.ts'

/**
 * How the user authenticated, by the names of RFC 8176 section 2: a password, a one-time code,
 * several factors, a hardware key, the presence of the user. Two names are our own: `fed`, an
 * identity provider vouched, and `email`, a mailed code.
 */
export type Amr = 'pwd' | 'otp' | 'mfa' | 'hwk' | 'user' | 'fed' | 'email'

/** Stands for an unknown time of authentication, which is never recent. */
export const unknownAuthTime = 0

/** What a method of login found out: whose account it is, and how and when that was proved. */
export interface Evidence {
  readonly account: Account
  readonly amr: readonly Amr[]
  /** The time of the first proof, in epoch milliseconds; `unknownAuthTime` if a provider sent none. */
  readonly authTime: number
}
