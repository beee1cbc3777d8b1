import type { Account } from './account.ts'

/**
 * How somebody has authenticated, RFC 8176 section 2: a password, a one-time code, several factors,
 * the presence of the user; and two names of our own, a provider that vouched and a mailed code.
 */
export type Amr = 'pwd' | 'otp' | 'mfa' | 'hwk' | 'user' | 'fed' | 'email'

/** What a method found out. It decides nothing else. */
export interface Evidence {
  readonly account: Account
  readonly amr: readonly Amr[]
  /** When it was found out, epoch milliseconds. */
  readonly authTime: number
}
