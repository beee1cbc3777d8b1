import { DatabaseUnavailable, damageIn } from '../database/errors.ts'
import { KeySetNotOpened } from '../database/key-set-not-opened.ts'
import { ApiError, problemOf } from '../errors.ts'
import { gatehouse } from '../hints/command-line.ts'
import { reasonOf } from '../reason.ts'
import { CommandError, type Exit, exitCodes } from './command.ts'

export function exitOf(error: unknown): { code: number; message: string } {
  if (error instanceof CommandError) return { code: error.exitCode, message: error.message }
  if (error instanceof KeySetNotOpened) {
    return { code: exitCodes.failed.code, message: error.message }
  }
  const damage = damageIn(error)
  if (damage) {
    return {
      code: exitCodes.failed.code,
      message: `the database is damaged: ${reasonOf(damage)}; keep a copy of it, and restore a backup (${gatehouse} restore)`,
    }
  }
  if (error instanceof DatabaseUnavailable) {
    return {
      code: exitCodes.unavailable.code,
      message: `the database is not available: ${reasonOf(error)}`,
    }
  }
  if (error instanceof ApiError) {
    const exit = problemOf(error.row).isUnconfigured ? 'failed' : exitOfStatus(error.status)
    return { code: exitCodes[exit].code, message: messageOf(error) }
  }
  return { code: exitCodes.failed.code, message: reasonOf(error) }
}

/** By the HTTP status of the equivalent route. */
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

function messageOf({ message, row, details = [] }: ApiError): string {
  const { remedy } = problemOf(row)
  if (remedy !== undefined) return `${message}: ${remedy}`
  const lines = details.map((detail) => `${detail.path.join('.')} ${detail.message}`)
  return [message, ...lines].join('\n  ')
}
