import { stat } from 'node:fs/promises'

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
