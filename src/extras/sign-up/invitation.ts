import type { EmailAddress } from '../../core/addresses/email.ts'
import type { Language } from '../../core/lib/languages.ts'
import type { RoleName } from '../../core/policy/principal.ts'

/** The holder of the link creates an account with this address and these roles. */
export interface Invitation {
  readonly id: number
  readonly email: EmailAddress
  /** A name for the form; null: none. */
  readonly name: string | null
  readonly roles: readonly RoleName[]
  /** Language of the mail. */
  readonly language: Language
  /** Administrator; null: command line, or deleted. */
  readonly invitedBy: number | null
  /** True for the command line. */
  readonly isOfOperator: boolean
  /** Makes confirmations to one address differ. */
  readonly nonce: string
  /** The confirmation in the link. */
  readonly confirmation: string
  readonly createdAt: number
  readonly expiresAt: number
  readonly acceptedAt: number | null
  readonly revokedAt: number | null
  /** The user who accepted; null if deleted. */
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
