/** The settings of lifetimes, in seconds; a setting is absent where its module is. */
interface Lifetimes {
  readonly confirmations: {
    readonly deletionSeconds?: number
    readonly emailChangeSeconds?: number
    readonly invitationSeconds?: number
    readonly resetSeconds?: number
    readonly signInSeconds?: number
    readonly verificationSeconds?: number
  }
}

/** What a confirmation is for. A link or code of one purpose counts for no other. */
export const confirmationPurposes = [
  'sign_up',
  'verification',
  'email_change',
  'email_undo',
  'deletion_undo',
  'reset',
  'sign_in',
  'invitation',
  'proof',
] as const
export type ConfirmationPurpose = (typeof confirmationPurposes)[number]

const undoSeconds = 7 * 86_400
// Where no module signs in by mail.
const proofSeconds = 600

/** How long the link and the code of a purpose count, in seconds. */
export function lifetimeOf({ confirmations }: Lifetimes, purpose: ConfirmationPurpose): number {
  const seconds = {
    sign_up: confirmations.verificationSeconds,
    verification: confirmations.verificationSeconds,
    email_change: confirmations.emailChangeSeconds,
    email_undo: undoSeconds,
    deletion_undo: confirmations.deletionSeconds,
    reset: confirmations.resetSeconds,
    sign_in: confirmations.signInSeconds,
    invitation: confirmations.invitationSeconds,
    proof: confirmations.signInSeconds ?? proofSeconds,
  }[purpose]
  return seconds ?? 0
}

/** The longest that a code counts, in seconds: the other purposes have a link alone. */
export function longestCodeSeconds({ confirmations: lifetimes }: Lifetimes): number {
  const { emailChangeSeconds = 0, resetSeconds = 0 } = lifetimes
  const { signInSeconds = proofSeconds, verificationSeconds = 0 } = lifetimes
  return Math.max(emailChangeSeconds, resetSeconds, signInSeconds, verificationSeconds)
}

/** Purposes of a signed-in caller: two accounts may ask for one address. */
export function isOfAccount(purpose: ConfirmationPurpose): boolean {
  return replacesOthers(purpose) || !endsWithLogins(purpose)
}

const single: ReadonlySet<ConfirmationPurpose> = new Set([
  'verification',
  'email_change',
  'deletion_undo',
  'proof',
])

/**
 * Purposes of which an account has one confirmation at a time: a new change of address replaces the
 * previous change, and a new deletion ends the link of the previous deletion.
 */
export function replacesOthers(purpose: ConfirmationPurpose): boolean {
  return single.has(purpose)
}

/**
 * Whether a new password, a lock or an end of all logins ends it. Not the way back to the address
 * before: the caller that changed the address could take it away by a new password. Not the way back
 * from a deletion, which has ended the logins itself.
 */
export function endsWithLogins(purpose: ConfirmationPurpose): boolean {
  return purpose !== 'email_undo' && purpose !== 'deletion_undo'
}
