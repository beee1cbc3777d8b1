import { eventType } from '../events/types.ts'

/** A session was handed over to the host of an application behind a proxy. */
export const forwardSessionCreated = eventType<{
  user_id: number
  origin: string
}>('forward_session_created')
