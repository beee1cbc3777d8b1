import type { Problem } from '../../core/errors.ts'

/** CONSOLE_ADDRESSES does not hold the address of the client. */
export const consoleElsewhere: Problem = {
  name: 'consoleElsewhere',
  isUnlisted: true,
  status: 403,
  error: 'Console not allowed from this address',
}
