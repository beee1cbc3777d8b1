import { type ErrorWithBody, errorWith } from '../../core/http/declared-error.ts'
import { exactly, named, Text } from '../../core/http/schemas.ts'
import { codeFields } from '../authentication/proof-schemas.ts'
import type { FactorKind } from './kinds.ts'

export const RecoveryCodes = named(
  'RecoveryCodes',
  exactly({
    recovery_codes: {
      type: 'array',
      items: Text,
      description: 'Ten codes, told once; each replaces a code of the app once',
    },
  }),
  { recovery_codes: ['KQ7M-3XHD-HT2W-5RNA', 'P6DV-ZLCE-2MYB-T4QJ'] },
)

export const SentProof = named(
  'SecondFactorProof',
  { type: 'object', properties: codeFields, description: 'One of the two' },
  { totp: '492039' },
)

export function secondFactorRequired(kinds: readonly Pick<FactorKind, 'name'>[]): ErrorWithBody {
  const names = kinds.map(({ name }) => name)
  const [first = ''] = names
  const kind = {
    type: 'string',
    ...(names.length > 1 ? { enum: names } : { const: first }),
  } as const
  return errorWith(
    'secondFactorRequired',
    { second_factor: { ...kind, description: 'Which field the request lacks' } },
    { second_factor: first },
    names.length > 1
      ? {
          second_factors: {
            type: 'array',
            items: kind,
            description: 'If the account has factors of several kinds, each of which is enough',
          },
        }
      : {},
  )
}
