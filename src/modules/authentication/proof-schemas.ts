import { errorWith } from '../../core/http/declared-error.ts'
import { named, type Static, Text } from '../../core/http/schemas.ts'
import type { ProofsInput as ProofsOfRequest } from './proofs.ts'

export const examplePassword = 'gravel-otter-lantern-41'

/** Of the app, or a recovery code. */
export const codeFields = {
  totp: {
    type: 'string',
    pattern: '^[0-9]{6}$',
    description: 'The six digits that the authenticator app shows',
  },
  recovery_code: { type: 'string', description: 'In place of `totp`; each can be used once' },
} as const

export const Captcha = {
  type: 'string',
  maxLength: 4096,
  description: 'The solution of a challenge: base64 of JSON, as the widget of ALTCHA sends it',
} as const

/** For documentation. */
export const sentProofs = {
  current_password: {
    type: 'string',
    description: 'If the account has a password, unless Basic or an enrolment token proves it',
  },
  totp: { ...codeFields.totp, description: 'If the account has a second factor' },
  recovery_code: codeFields.recovery_code,
  passkey: {
    type: 'object',
    description:
      'The answer of a passkey of the account, which is enough alone; its options come from `POST /api/account/passkeys/proof`',
  },
  captcha: Captcha,
} as const

/** Without types: another type counts as a wrong proof. */
export const acceptedProofs = {
  current_password: {},
  totp: {},
  recovery_code: {},
  passkey: {},
  captcha: Captcha,
} as const

export const SentProofs = named(
  'Proofs',
  { type: 'object', properties: sentProofs, description: 'What the account has' },
  { current_password: examplePassword },
)

export const AcceptedProofs = { type: 'object', properties: acceptedProofs } as const

export function proofsIn(body: Static<typeof AcceptedProofs>): ProofsOfRequest {
  const { current_password: currentPassword, captcha } = body
  return { currentPassword, factor: body, captcha }
}

export const confirmationRequired = errorWith(
  'confirmationRequired',
  {
    proofs: {
      type: 'array',
      items: Text,
      description:
        'The proofs that are still missing, all of which are needed: `password`, `provider`, `email`, and the kind of a second factor, as `totp`, which a recovery code replaces',
    },
  },
  { proofs: ['password'] },
  {
    second_factors: {
      type: 'array',
      items: Text,
      description: 'If factors of several kinds are enough for the one that is missing',
    },
    confirm_url: {
      type: 'string',
      description: 'The page that takes the proofs `provider` and `email`, if one is missing',
    },
  },
)
