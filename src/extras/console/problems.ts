import type { Problem } from '../../core/errors.ts'

/** Client outside CONSOLE_ADDRESSES. */
export const consoleElsewhere: Problem = {
  name: 'consoleElsewhere',
  isUnlisted: true,
  status: 403,
  error: 'Console not allowed from this address',
}
