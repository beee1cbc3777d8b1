import type { EmailAddress } from '../../core/addresses/email.ts'
import type { Language } from '../../core/lib/languages.ts'
import type { RoleName } from '../../core/policy/principal.ts'

/** An invitation: who has its link makes an account with its address and its roles. */
export interface Invitation {
  readonly id: number
  readonly email: EmailAddress
  /** The name that the administrator gave, for the form; null: none. */
  readonly name: string | null
  readonly roles: readonly RoleName[]
  /** The language in which it was mailed. */
  readonly language: Language
  /** The user id of the administrator; null: the command line, or one who was deleted. */
  readonly invitedBy: number | null
  /** Whether the command line gave it, which needs no account. */
  readonly isOfOperator: boolean
  /** Makes the confirmations of two invitations to one address differ. */
  readonly nonce: string
  /** The id of the confirmation that its link carries. */
  readonly confirmation: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly expiresAt: number
  readonly acceptedAt: number | null
  readonly revokedAt: number | null
  /** The user who accepted it; null if that user was deleted. */
  readonly userId: number | null
}

export const invitationStates = ['pending', 'accepted', 'expired', 'revoked'] as const
export type InvitationState = (typeof invitationStates)[number]

export function stateOf(
  { acceptedAt, revokedAt, expiresAt }: Invitation,
  now: number,
): InvitationState {
  if (acceptedAt !== null) return 'accepted'
  if (revokedAt !== null) return 'revoked'
  return now < expiresAt ? 'pending' : 'expired'
}
