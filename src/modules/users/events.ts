import { eventType } from '../../core/events/types.ts'

/**
 * A user was created, or its account, which the other fields describe; `issuer` is the provider
 * through which the user signed up.
 */
export const userCreated = eventType<{
  user_id: number
  username?: string
  roles?: readonly string[]
  locked?: boolean
  active?: boolean
  issuer?: string
}>('user_created')

export const userUpdated = eventType<{ user_id: number }>('user_updated')

/** A user was deleted, with its account, sessions and tokens if it had any. */
export const userDeleted = eventType<{ user_id: number }>('user_deleted')
