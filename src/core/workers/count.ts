import { availableParallelism } from 'node:os'

/**
 * The maximum of WORKERS. Each worker has at least two connections to PostgreSQL and one that
 * listens for changes: 32 workers stay below the 100 connections that a server admits by default.
 */
export const maxWorkers = 32

/**
 * Parses WORKERS: a number of processes, or `auto` for one per core that is available.
 * @throws Error whose message says what is wrong
 */
export function parseWorkers(text: string): number {
  if (text === 'auto') return Math.min(availableParallelism(), maxWorkers)
  const count = Number(text)
  if (!/^[0-9]+$/.test(text) || count < 1 || count > maxWorkers) {
    throw new Error(`must be auto, or a whole number from 1 to ${maxWorkers}`)
  }
  return count
}

/** Whether WORKERS asks for several processes. A mistake does not: the settings report it. */
export function wantsSeveral(text: string | undefined): text is string {
  if (!text) return false
  try {
    return parseWorkers(text) > 1
  } catch {
    return false
  }
}
