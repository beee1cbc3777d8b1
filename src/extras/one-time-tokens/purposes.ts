/** Seconds; absent without the module. */
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

/** A link or code is valid for one purpose only. */
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
// Without sign-in by mail.
const proofSeconds = 600

/** Seconds. */
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

/** Seconds; other purposes have only a link. */
export function longestCodeSeconds({ confirmations: lifetimes }: Lifetimes): number {
  const { emailChangeSeconds = 0, resetSeconds = 0 } = lifetimes
  const { signInSeconds = proofSeconds, verificationSeconds = 0 } = lifetimes
  return Math.max(emailChangeSeconds, resetSeconds, signInSeconds, verificationSeconds)
}

/** Two accounts may request the same address. */
export function isOfAccount(purpose: ConfirmationPurpose): boolean {
  return replacesOthers(purpose) || !endsWithLogins(purpose)
}

const single: ReadonlySet<ConfirmationPurpose> = new Set([
  'verification',
  'email_change',
  'deletion_undo',
  'proof',
])

/** A new request replaces the account's previous one. */
export function replacesOthers(purpose: ConfirmationPurpose): boolean {
  return single.has(purpose)
}

/**
 * Whether a new password, a lock or the end of all logins ends the confirmation. Not the restore of
 * an address, which a thief could otherwise prevent; not the cancellation of a deletion, which ends
 * logins itself.
 */
export function endsWithLogins(purpose: ConfirmationPurpose): boolean {
  return purpose !== 'email_undo' && purpose !== 'deletion_undo'
}
