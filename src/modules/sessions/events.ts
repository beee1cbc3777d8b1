import { eventType } from '../../core/events/types.ts'

/** A session had come to its idle or absolute timeout, and was deleted. */
export const sessionExpired = eventType<{
  user_id: number
  /** ISO 8601. */
  ended_at: string
}>('session_expired')

export const sessionCreated = eventType<{ user_id: number }>('session_created')

/**
 * Sessions ended: one, or `count` of them. With the reasons `everywhere` and `administrator`: all,
 * or all but the caller's own.
 */
export const sessionEnded = eventType<{
  user_id: number
  reason: 'logout' | 'owner' | 'everywhere' | 'administrator' | 'limit' | 'replaced'
  count?: number
}>('session_ended')

/** A sensitive operation was done by a session. */
export const sensitiveUpdate = eventType<{ user_id: number; what: 'transfer' }>('sensitive_update')
