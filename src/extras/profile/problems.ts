import type { Problem } from '../../core/errors.ts'

export const profileValueTaken: Problem = {
  name: 'profileValueTaken',
  status: 409,
  error: 'Profile value already exists',
  words: {
    en: 'Another account has this value already.',
    de: 'Ein anderes Konto hat diesen Wert schon.',
  },
}
