import { eventType } from '../events/types.ts'

export const sessionCreated = eventType<{ user_id: number }>('session_created')

/** One session, or `count` of them; all of an account where the reason says so. */
export const sessionEnded = eventType<{
  user_id: number
  reason: 'logout' | 'owner' | 'everywhere' | 'administrator' | 'limit'
  count?: number
}>('session_ended')
