import { eventType } from '../events/types.ts'

/** A password was changed by its owner, or by another one, who sets or resets it. */
export const passwordChange = eventType<{ user_id: number }>('authn_password_change')

/** The present password, which a change asks for, was wrong. */
export const passwordChangeFail = eventType<{ user_id: number | null }>(
  'authn_password_change_fail',
  'warn',
)

/** A new password was not compared with the breached ones: their service gave no answer. */
export const passwordBreachQueryFail = eventType<{ reason: string }>(
  'password_breach_query_fail',
  'warn',
)
