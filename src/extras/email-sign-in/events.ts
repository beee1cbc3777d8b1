import { eventType } from '../../core/events/types.ts'

/**
 * A link and a code that sign in were asked for; `user_id` is null if nothing is mailed: no account
 * has the address, or it may not log in.
 */
export const emailLoginBegun = eventType<{ user_id: number | null }>('email_login_begun')
