import { eventType } from '../../core/events/types.ts'

/**
 * A new password was not checked against breaches: the service of breached passwords did not
 * answer.
 */
export const passwordBreachQueryFail = eventType<{ reason: string }>(
  'password_breach_query_fail',
  'warn',
)
