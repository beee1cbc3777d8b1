import type { Problem } from '../../core/errors.ts'

export const accountUnusable: Problem = {
  name: 'accountUnusable',
  before: 'emailNotVerified',
  status: 409,
  error: 'Account locked or disabled',
  words: {
    en: 'The account is locked or disabled.',
    de: 'Das Konto ist gesperrt oder deaktiviert.',
  },
}
