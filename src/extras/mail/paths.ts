import type { MessageName } from './message-types.ts'

/** The pages to which the links of messages lead, for the messages that have a confirmation. */
export const messagePaths: Readonly<Partial<Record<MessageName, string>>> = {
  sign_in: '/signin',
  sign_up: '/signup',
  verification: '/verify',
  email_change: '/verify',
  email_changed: '/verify', // the way back
  reset: '/reset',
  deletion_requested: '/reset',
  deletion_requested_former: '/verify',
  invitation: '/invitation',
}
