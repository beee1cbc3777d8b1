import { eventType } from '../../core/events/types.ts'

type OfUser = { readonly user_id: number }

/** A second factor was confirmed; logins require it from now on. */
export const mfaEnrolled = eventType<OfUser>('mfa_enrolled')
/** A code or recovery code was wrong. */
export const mfaFail = eventType<{ readonly user_id: number | null }>('mfa_fail', 'warn')
/** A recovery code was accepted in place of a code; so many are left. */
export const mfaRecoveryCodeUsed = eventType<OfUser & { readonly left: number }>(
  'mfa_recovery_code_used',
)
export const mfaCodesRenewed = eventType<OfUser>('mfa_codes_renewed')
/** A second factor was removed, by its owner with a code or by an administrator without one. */
export const mfaRemoved = eventType<OfUser>('mfa_removed')
