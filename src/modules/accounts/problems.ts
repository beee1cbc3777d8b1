import type { Problem } from '../../core/errors.ts'

export const userHasAccount: Problem = {
  name: 'userHasAccount',
  status: 409,
  error: 'User already has an account',
  words: { en: 'This user has an account already.', de: 'Diese Person hat schon ein Konto.' },
}
