import { exactly, named } from '../../core/http/schemas.ts'
import { codeFields } from '../authentication/proof-schemas.ts'

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

// No types: an invalid value counts as a wrong code.
export const Code = { type: 'object', properties: { totp: {} } } as const

export const SentCode = named(
  'TotpCode',
  { type: 'object', required: ['totp'], properties: { totp: codeFields.totp } },
  { totp: '492039' },
)
