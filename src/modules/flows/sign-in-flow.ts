import type { Account } from '../authentication/account.ts'
import type { Amr, Evidence } from '../authentication/evidence.ts'
import type { Step } from '../authentication/requirement-table.ts'
import { needsTwoFactors } from './return-to.ts'

/** Where a sign-in on the pages stands: what it waits for. */
export type SignInStep = 'password' | Step | 'recovery_codes' | keyof StepsOfWays

/** The steps of other ways to sign in, which their modules declare. */
// biome-ignore lint/suspicious/noEmptyInterface: other modules add to it
export interface StepsOfWays {}

/** What the flow of a sign-in holds; other ways to sign in add their own by `declare module`. */
export interface SignInData {
  /** The stage whose requirements apply. Stored: nodes of 0.11 read it by this name. */
  readonly column: 'login' | 'providerPage'
  /** What is proved so far; null before the first proof. */
  readonly proven: Proven | null
  /** The username of the signed-in account that signs in once more; null: anyone's. */
  readonly again: string | null
  /** The secret of an enrolment, which the page shows until it is confirmed. */
  readonly enrolment?: { readonly secret: string; readonly uri: string }
  /** New recovery codes, which the page shows until the person goes on. */
  readonly recoveryCodes?: readonly string[]
}

/** Evidence without the account, which is read again at each step. */
export interface Proven {
  readonly amr: readonly Amr[]
  /** Epoch milliseconds. */
  readonly authTime: number
  /** The version of the account: any other means that its logins have ended meanwhile. */
  readonly refreshVersion: number
}

/**
 * What has passed all requirements, or the step that is left: where a sign-in leads to what asks for two
 * factors, an account without a second one sets one up.
 */
export function passTowards<Passed extends object>(
  returnTo: string,
  passed: Passed | Step,
  { amr }: Pick<Evidence, 'amr'>,
): Passed | Step {
  const isLacking = typeof passed !== 'string' && !amr.includes('mfa') && needsTwoFactors(returnTo)
  return isLacking ? 'enrolment' : passed
}

/** Evidence as a flow holds it. */
export function provenOf({ account, amr, authTime }: Evidence): Proven {
  return { amr, authTime, refreshVersion: account.refreshVersion }
}

/** Evidence of an account as it is now. */
export function evidenceOf(account: Account, { amr, authTime }: Proven): Evidence {
  return { account, amr, authTime }
}
