import { DatabaseUnavailable } from '../database/errors.ts'
import { ApiError } from '../kernel/errors.ts'
import { reasonOf } from '../kernel/reason.ts'
import { CommandError, type Exit, exitCodes } from './command.ts'

/** The exit code and the message of a failure. */
export function exitOf(error: unknown): { code: number; message: string } {
  if (error instanceof CommandError) return { code: error.exitCode, message: error.message }
  if (error instanceof DatabaseUnavailable) {
    return {
      code: exitCodes.unavailable.code,
      message: `the database is not available: ${reasonOf(error)}`,
    }
  }
  if (error instanceof ApiError) {
    return { code: exitCodes[exitOfStatus(error.status)].code, message: messageOf(error) }
  }
  return { code: exitCodes.failed.code, message: reasonOf(error) }
}

/** The exit of a command, by the HTTP status that a route would answer. */
function exitOfStatus(status: number): Exit {
  switch (status) {
    case 400:
    case 409:
      return 'refused'
    case 404:
      return 'notFound'
    case 503:
      return 'unavailable'
    default:
      return 'failed'
  }
}

function messageOf({ message, details = [] }: ApiError): string {
  const lines = details.map((detail) => `${detail.path.join('.')} ${detail.message}`)
  return [message, ...lines].join('\n  ')
}
