import { stat } from 'node:fs/promises'

/**
 * A text that differs after each change of a file; `absent` if it cannot be found. It is asked for
 * before the file is read, so that a change during the reading is seen at the next look.
 */
export async function versionOf(file: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true })
    return [dev, ino, size, mtimeNs, ctimeNs].join()
  } catch {
    return 'absent'
  }
}
