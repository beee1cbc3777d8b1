import { errorWith } from '../../core/http/declared-error.ts'
import { exactly, named, Text } from '../../core/http/schemas.ts'
import { codeFields } from '../authentication/proof-schemas.ts'

const code = '492039'
const recoveryCodes = ['KQ7M-3XHD-HT2W-5RNA', 'P6DV-ZLCE-2MYB-T4QJ']

export const Enrolment = named(
  'TotpEnrolment',
  exactly({
    secret: { type: 'string', description: 'Base32' },
    uri: { type: 'string', description: 'otpauth://totp/...' },
    qr: { type: 'string', description: 'The address as a QR code: SVG text' },
  }),
  {
    secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
    uri: 'otpauth://totp/Gatehouse:ann?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Gatehouse',
    qr: '<svg xmlns="http://www.w3.org/2000/svg">…</svg>',
  },
)

export const RecoveryCodes = named(
  'RecoveryCodes',
  exactly({
    recovery_codes: {
      type: 'array',
      items: Text,
      description: 'Ten codes, told once; each replaces a code of the app once',
    },
  }),
  { recovery_codes: recoveryCodes },
)

// No types: an invalid value counts as a wrong code.
export const Code = { type: 'object', properties: { totp: {} } } as const

export const SentCode = named(
  'TotpCode',
  { type: 'object', required: ['totp'], properties: { totp: codeFields.totp } },
  { totp: code },
)

export const SentProof = named(
  'SecondFactorProof',
  { type: 'object', properties: codeFields, description: 'One of the two' },
  { totp: code },
)

export const secondFactorRequired = errorWith(
  'secondFactorRequired',
  {
    second_factor: { type: 'string', const: 'totp', description: 'Which field the request lacks' },
  },
  { second_factor: 'totp' },
)
