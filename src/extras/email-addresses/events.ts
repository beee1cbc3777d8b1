import { eventType } from '../../core/events/types.ts'

type OfUser = { readonly user_id: number }

/** A link to verify an address was asked for; `change`: the account has another verified address. */
export const emailVerificationBegun = eventType<OfUser & { readonly change: boolean }>(
  'email_verification_begun',
)

/** The owner gave up an address that was not verified yet. */
export const emailVerificationCancelled = eventType<OfUser>('email_verification_cancelled')

/** The first address of an account was verified, or the present one again. */
export const emailVerified = eventType<OfUser>('email_verified')

/** Another verified address took the place of the one before. */
export const emailChanged = eventType<OfUser>('email_changed')

/**
 * The address before came back by the link that was mailed to it; all logins ended.
 * `password_removed`: the password had been set since the change, and is void.
 */
export const emailRestored = eventType<OfUser & { readonly password_removed: boolean }>(
  'email_restored',
)

/** An administrator removed the verified address. */
export const emailRemoved = eventType<OfUser>('email_removed')

/** The owner chose the language of pages and mail. */
export const languageChanged = eventType<OfUser & { readonly language: string | null }>(
  'language_changed',
)
