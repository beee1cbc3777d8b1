import { type ErrorWithBody, errorWith } from '../../core/http/declared-error.ts'
import { exactly, named, Text, Time } from '../../core/http/schemas.ts'
import { isoTimeOrNull } from '../../core/lib/clock.ts'
import { codeFields } from '../authentication/proof-schemas.ts'
import type { Factor, FactorKind } from './kinds.ts'

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

const TimeOrNull = { anyOf: [Time, { type: 'null' }] } as const

const FactorBody = named(
  'Factor',
  exactly({
    id: { type: 'string', description: 'Unique among the factors of the account' },
    kind: { type: 'string', description: 'The field of a request that proves it' },
    name: { anyOf: [Text, { type: 'null' }], description: 'Given by its owner' },
    created_at: TimeOrNull,
    last_used_at: TimeOrNull,
  }),
  {
    ...{ id: 'totp', kind: 'totp', name: null },
    created_at: '2026-03-02T09:15:00.000Z',
    last_used_at: '2026-03-02T09:30:00.000Z',
  },
)

/** Confirmed factors, oldest first. */
export const FactorList = { type: 'array', items: FactorBody } as const

export function showFactor({ id, kind, name, createdAt, lastUsedAt }: Factor) {
  return {
    ...{ id, kind, name },
    created_at: isoTimeOrNull(createdAt),
    last_used_at: isoTimeOrNull(lastUsedAt),
  }
}

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
