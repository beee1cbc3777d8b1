import { eventType } from '../events/types.ts'

export const sessionCreated = eventType<{ user_id: number }>('session_created')

/** One session, `count` of them, or with the reasons `everywhere` and `administrator` all but one. */
export const sessionEnded = eventType<{
  user_id: number
  reason: 'logout' | 'owner' | 'everywhere' | 'administrator' | 'limit' | 'replaced'
  count?: number
}>('session_ended')

/** An operation that a page asks for in its session. */
export const sensitiveUpdate = eventType<{ user_id: number; what: 'transfer' }>('sensitive_update')
