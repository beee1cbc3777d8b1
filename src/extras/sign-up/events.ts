import { eventType } from '../../core/events/types.ts'

/**
 * A visitor asked for an account; the address is in the mailbox alone. `is_taken`: an account has it,
 * and its owner was told so by mail.
 */
export const signUpBegun = eventType<{ is_taken: boolean }>('sign_up_begun')

type Invitation = { readonly invitation: number; readonly roles: readonly string[] }

export const invitationCreated = eventType<Invitation>('invitation_created')

/** The invitation was mailed again; an expired one has a new end. */
export const invitationResent = eventType<Invitation>('invitation_resent')

/** `replaced`: another invitation to the same address took its place. */
export const invitationRevoked = eventType<Invitation & { reason: 'revoked' | 'replaced' }>(
  'invitation_revoked',
)

/** The account `user_id` was made of an invitation. */
export const invitationAccepted = eventType<Invitation & { user_id: number }>('invitation_accepted')
