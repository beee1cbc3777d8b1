import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const shared = join(import.meta.dirname, '../../shared')

/** A file of published test vectors; null on a machine that has none. */
export function vectors<T>(path: string): T | null {
  const file = join(shared, 'vectors', path)
  // The shape is what the caller knows of the file.
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as T) : null
}

/** The lines of a list that lies beside the project; null on a machine that has none. */
export function sharedLines(path: string): string[] | null {
  const file = join(shared, path)
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : null
}
