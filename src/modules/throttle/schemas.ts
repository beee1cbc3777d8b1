import { errorWith } from '../../core/http/declared-error.ts'
import { exactly, Integer, named, Text } from '../../core/http/schemas.ts'

const example = {
  parameters: {
    algorithm: 'PBKDF2/SHA-256',
    cost: 2000,
    expiresAt: 1772444400,
    keyLength: 32,
    keyPrefix: '00',
    nonce: '5d1f0c9e8b7a46352413f2e1d0c9b8a7',
    salt: '9a8b7c6d5e4f30211203f4e5d6c7b8a9',
  },
  signature: '4f1a…c2',
}

/** The format of ALTCHA's widget. */
export const ChallengeBody = named(
  'Captcha',
  exactly({
    parameters: exactly({
      algorithm: Text,
      cost: Integer,
      expiresAt: { ...Integer, description: 'Seconds since 1970' },
      keyLength: Integer,
      keyPrefix: Text,
      nonce: Text,
      salt: Text,
    }),
    signature: Text,
  }),
  example,
)

export const captchaRequired = errorWith(
  'captchaRequired',
  { captcha: ChallengeBody },
  { captcha: example },
)
