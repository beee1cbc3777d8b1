import type { Problem } from '../../core/errors.ts'

export const deviceNotFound: Problem = {
  name: 'deviceNotFound',
  status: 404,
  error: 'Device not found',
}
