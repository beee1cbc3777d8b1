import { eventType } from '../events/types.ts'

type OfUser = { readonly user_id: number }

/** From now on a login asks for it. */
export const mfaEnrolled = eventType<OfUser>('mfa_enrolled')
/** A code or recovery code was wrong. */
export const mfaFail = eventType<{ readonly user_id: number | null }>('mfa_fail')
export const mfaCodesRenewed = eventType<OfUser>('mfa_codes_renewed')
/** By its owner with a proof, or by an administrator without one. */
export const mfaRemoved = eventType<OfUser>('mfa_removed')
