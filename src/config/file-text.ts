import { readFileSync, type Stats, statSync } from 'node:fs'
import { systemCode } from '../kernel/reason.ts'

/**
 * Reads a file that a setting names: its text, or the mistake, without the name of the setting. A file
 * that is longer than `maxBytes` is a mistake, and so is what is no file, whose reading could take
 * forever.
 */
export function readText(
  path: string,
  maxBytes: number,
): { readonly text: string; readonly stats: Stats } | { readonly mistake: string } {
  try {
    const stats = statSync(path)
    if (!stats.isFile()) return { mistake: `names ${path}, which is no file` }
    if (stats.size > maxBytes) {
      return { mistake: `names ${path}, which is longer than ${maxBytes / 1_048_576} MiB` }
    }
    return { text: readFileSync(path, 'utf8'), stats }
  } catch (error) {
    return { mistake: `names ${path}, which cannot be read (${systemCode(error) ?? 'unknown'})` }
  }
}
