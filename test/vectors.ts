import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '../../shared/vectors')

/** A file of published test vectors; null on a machine that has none. */
export function vectors<T>(path: string): T | null {
  const file = join(folder, path)
  // The shape is what the caller knows of the file.
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as T) : null
}
