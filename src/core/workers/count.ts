import { availableParallelism } from 'node:os'

/**
 * Each worker has at least three connections to PostgreSQL: 32 workers stay below the default limit
 * of 100.
 */
export const maxWorkers = 32

/** A number, or `auto`: one worker per core. @throws Error with a readable message */
export function parseWorkers(text: string): number {
  if (text === 'auto') return Math.min(availableParallelism(), maxWorkers)
  const count = Number(text)
  if (!/^[0-9]+$/.test(text) || count < 1 || count > maxWorkers) {
    throw new Error(`must be auto, or a whole number from 1 to ${maxWorkers}`)
  }
  return count
}

/** False for an invalid value, which the settings report. */
export function wantsSeveral(text: string | undefined): text is string {
  if (!text) return false
  try {
    return parseWorkers(text) > 1
  } catch {
    return false
  }
}
