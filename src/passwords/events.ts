import { eventType } from '../events/types.ts'

/** A new password was not compared with the breached ones: their service gave no answer. */
export const passwordBreachQueryFail = eventType<{ reason: string }>(
  'password_breach_query_fail',
  'warn',
)
