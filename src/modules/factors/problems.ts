import type { Problem } from '../../core/errors.ts'

export const secondFactorNotFound: Problem = {
  name: 'secondFactorNotFound',
  status: 404,
  error: 'Second factor not found',
}
