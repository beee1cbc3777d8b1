import type { Account } from '../authentication/account.ts'
import type { Amr, Evidence } from '../authentication/evidence.ts'
import type { Step } from '../authentication/requirement-table.ts'
import { needsTwoFactors } from './return-to.ts'

export type SignInStep = 'password' | Step | 'recovery_codes' | keyof StepsOfWays

/** The steps of other ways to sign in, which their modules declare. */
// biome-ignore lint/suspicious/noEmptyInterface: other modules add to it
export interface StepsOfWays {}

/** Other ways to sign in extend this with `declare module`. */
export interface SignInData {
  /** The stage whose requirements apply. Nodes of 0.11 read this name. */
  readonly column: 'login' | 'providerPage' | 'passkey'
  /** Null before the first proof. */
  readonly proven: Proven | null
  /** The username that must reauthenticate; null: any. */
  readonly again: string | null
  /** Keep me signed in. */
  readonly keepSignedIn?: boolean
  /** Do not ask on this device. */
  readonly rememberDevice?: boolean
  /** Shown until confirmed. */
  readonly enrolment?: Enrolment
  /** Shown until the person continues. */
  readonly recoveryCodes?: readonly string[]
}

interface Enrolment {
  readonly secret: string
  readonly uri: string
  /** Options of a new passkey; absent: none can be made. */
  readonly creation?: object
}

/** Each step reads the account. */
export interface Proven {
  readonly amr: readonly Amr[]
  /** Epoch milliseconds. */
  readonly authTime: number
  /** A different version: the account's logins have ended. */
  readonly refreshVersion: number
}

/** If the target needs two factors: a proof of the second factor, or else its enrolment. */
export function passTowards<Passed extends object>(
  returnTo: string,
  passed: Passed | Step,
  { account, amr }: Pick<Evidence, 'account' | 'amr'>,
): Passed | Step {
  const isLacking = typeof passed !== 'string' && !amr.includes('mfa') && needsTwoFactors(returnTo)
  if (!isLacking) return passed
  return account.secondFactor ? 'second_factor' : 'enrolment'
}

export function provenOf({ account, amr, authTime }: Evidence): Proven {
  return { amr, authTime, refreshVersion: account.refreshVersion }
}

/** Uses the current account. */
export function evidenceOf(account: Account, { amr, authTime }: Proven): Evidence {
  return { account, amr, authTime }
}
