import type { Problem } from '../../core/errors.ts'

export const invalidClient: Problem = {
  name: 'invalidClient',
  status: 401,
  error: 'invalid_client',
  isChallenged: true,
}
