import { eventType } from '../../core/events/types.ts'

/**
 * A reset of a password was asked for; `user_id` is null if nothing is mailed: no account has the
 * name, or none with a verified address that may log in.
 */
export const resetBegun = eventType<{ user_id: number | null }>('password_reset_begun')

/** A password was set by a link or a code that was mailed. */
export const resetFinished = eventType<{ user_id: number; method: 'link' | 'code' }>(
  'password_reset',
)
