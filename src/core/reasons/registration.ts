import { type Reason, reasonBy } from './guards.ts'

const registration = reasonBy('registration')

/** Why a sign-up or an invitation was refused. */
export const registrationReasons = {
  sign_up_not_open: registration(
    'SIGN_UP lets no stranger make an account: it is off, or asks for an invitation.',
    'sign_up',
  ),
  address_taken: registration('An account has this mail address as its verified one.', 'user_id'),
  no_such_invitation: registration('There is no invitation of this id.'),
  invitation_closed: registration(
    'The invitation was accepted, or revoked.',
    'invitation',
    'state',
  ),
  inviter_without_account: registration(
    'The caller has no account here, which must stand behind the invitation until it is accepted.',
  ),
  inviter_not_allowed: registration(
    'The administrator who gave the invitation was deleted, is not usable, or lacks the role ADMIN now.',
    'invitation',
    'invited_by',
  ),
} as const satisfies Record<string, Reason>
