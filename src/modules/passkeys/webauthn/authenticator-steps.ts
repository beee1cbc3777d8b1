import { timingSafeEqual } from 'node:crypto'
import type { AuthenticatorData } from './authenticator-data.ts'
import type { Steps } from './ceremony-error.ts'
import type { Expected } from './client-data.ts'

export interface AuthenticatorFacts {
  readonly data: AuthenticatorData
  readonly expected: Pick<Expected, 'rpIdHash'>
}

/** User verification is required at both ceremonies: a passkey counts as both factors. */
export const authenticatorSteps: Steps<AuthenticatorFacts> = [
  ['rp_id_hash', ({ data, expected }) => timingSafeEqual(data.rpIdHash, expected.rpIdHash)],
  ['user_present', ({ data }) => data.isUserPresent],
  ['user_verified', ({ data }) => data.isUserVerified],
  ['backup_state', ({ data }) => data.isBackupEligible || !data.isBackedUp],
]
