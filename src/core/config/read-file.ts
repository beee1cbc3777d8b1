import { readFileSync, type Stats, statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { systemCode } from '../reason.ts'

interface Unreadable {
  readonly mistake: string
}

/** Rejects files over `maxBytes`, and pipes or devices, whose read could block forever. */
export function readBytes(
  path: string,
  maxBytes: number,
): { readonly bytes: Buffer; readonly stats: Stats } | Unreadable {
  try {
    const stats = statSync(path)
    if (!stats.isFile()) return { mistake: `names ${path}, which is no file` }
    if (stats.size > maxBytes) {
      return { mistake: `names ${path}, which is longer than ${sizeOf(maxBytes)}` }
    }
    return { bytes: readFileSync(path), stats }
  } catch (error) {
    return { mistake: `names ${path}, which cannot be read (${systemCode(error) ?? 'unknown'})` }
  }
}

export function readText(
  path: string,
  maxBytes: number,
): { readonly text: string; readonly stats: Stats } | Unreadable {
  const file = readBytes(path, maxBytes)
  return 'mistake' in file ? file : { text: file.bytes.toString(), stats: file.stats }
}

function sizeOf(bytes: number): string {
  return bytes < 1_048_576 ? `${bytes / 1024} KiB` : `${bytes / 1_048_576} MiB`
}

/**
 * Changes with the file; `absent` if not found. Call before reading, so that a change during the
 * read is detected next time.
 */
export async function versionOf(file: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true })
    return [dev, ino, size, mtimeNs, ctimeNs].join()
  } catch {
    return 'absent'
  }
}
