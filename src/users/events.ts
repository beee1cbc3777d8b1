import { eventType } from '../events/types.ts'

/** A user was made, or its account, which the other fields describe; `issuer` signed it up. */
export const userCreated = eventType<{
  user_id: number
  username?: string
  roles?: readonly string[]
  locked?: boolean
  active?: boolean
  issuer?: string
}>('user_created')

export const userUpdated = eventType<{ user_id: number }>('user_updated')

/** With its account, sessions and tokens, where it had any. */
export const userDeleted = eventType<{ user_id: number }>('user_deleted')
