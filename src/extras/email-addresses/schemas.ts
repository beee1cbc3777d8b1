import { exactly, named, TextOrNull, Time, TimeOrNull } from '../../core/http/schemas.ts'
import { isoTime, isoTimeOrNull } from '../../core/lib/clock.ts'
import { languages } from '../../core/lib/languages.ts'
import {
  acceptedProofs,
  examplePassword,
  sentProofs,
} from '../../modules/authentication/proof-schemas.ts'
import { ann } from '../../modules/users/schemas.ts'
import { EmailField } from '../one-time-tokens/schemas.ts'
import type { OwnEmail } from './emails.ts'

const Pending = named('PendingEmail', exactly({ email: { type: 'string' }, expires_at: Time }), {
  email: 'ann@example.com',
  expires_at: '2026-03-02T10:00:00.000Z',
})

const PendingOrNull = { anyOf: [Pending, { type: 'null' }] } as const

const shown = {
  email: { ...TextOrNull, description: 'The verified address; null: there is none' },
  verified_at: TimeOrNull,
  pending: PendingOrNull,
} as const

const example = { email: ann.email, verified_at: '2026-03-02T09:00:00.000Z', pending: null }

export const OwnEmailBody = named(
  'OwnEmail',
  exactly({
    ...shown,
    undeliverable: {
      type: 'boolean',
      description: 'The mail server has refused mail to it for good; a new proof clears that',
    },
  }),
  { ...example, undeliverable: false },
)

export const accountEmailExample = {
  ...example,
  undeliverable_at: null,
  undeliverable_reason: null,
}

/** For administrators. */
export const AccountEmailBody = named(
  'AccountEmail',
  exactly({
    ...shown,
    undeliverable_at: { ...TimeOrNull, description: 'When mail to it was refused for good' },
    undeliverable_reason: { ...TextOrNull, description: 'The words of the mail server' },
  }),
  accountEmailExample,
)

export const EmailInput = {
  type: 'object',
  required: ['email'],
  properties: { email: EmailField, ...acceptedProofs },
} as const

export const SentEmail = named(
  'WantedEmail',
  { ...EmailInput, properties: { email: EmailField, ...sentProofs } },
  { email: 'ann@example.com', current_password: examplePassword },
)

export const LanguageInput = named(
  'WantedLanguage',
  {
    type: 'object',
    required: ['language'],
    properties: {
      language: {
        anyOf: [{ type: 'string', enum: languages }, { type: 'null' }],
        description: 'null: that of the browser',
      },
    },
  },
  { language: 'de' },
)

function show({ address, verifiedAt, pending }: OwnEmail) {
  return {
    email: address?.address ?? null,
    verified_at: isoTimeOrNull(verifiedAt),
    pending: pending && {
      email: pending.address.address,
      expires_at: isoTime(pending.expiresAt),
    },
  }
}

export function showOwn(own: OwnEmail) {
  return { ...show(own), undeliverable: own.undeliverableAt !== null }
}

export function showToAdministrator(own: OwnEmail) {
  return {
    ...show(own),
    undeliverable_at: isoTimeOrNull(own.undeliverableAt),
    undeliverable_reason: own.undeliverableReason,
  }
}
