import { eventType } from '../events/types.ts'

/** A code or recovery code was wrong. */
export const mfaFail = eventType<{ user_id: number | null }>('mfa_fail')
