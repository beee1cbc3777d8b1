import type { Problem } from '../../core/errors.ts'

export const passkeyNotFound: Problem = {
  name: 'passkeyNotFound',
  status: 404,
  error: 'Passkey not found',
}

export const tooManyPasskeys: Problem = {
  name: 'tooManyPasskeys',
  status: 409,
  error: 'Too many passkeys',
}
