import { readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isOf } from './prepare.ts'

/** Relative to the root; size and time detect changes. */
export type Input = readonly [path: string, bytes: number, modifiedMs: number]

/** Created by `npm ci`. docs/adr/0044 */
export const bundleFolder = 'node_modules/.cache/gatehouse/bundle'
export const inputsFile = 'inputs.json'

const checkout = import.meta.url.endsWith('.ts')
  ? dirname(dirname(dirname(fileURLToPath(import.meta.url))))
  : undefined

/**
 * Undefined if a file has changed: the sources run, so that edits take effect at once. Compares
 * 1,300 files in 10 ms.
 */
export function currentBundle(
  root: string | undefined = checkout,
  uid: number | undefined = process.getuid?.(),
): string | undefined {
  if (root === undefined) return undefined
  const folder = join(root, bundleFolder)
  try {
    if (!isTrusted(root, uid)) return undefined
    const inputs: Input[] = JSON.parse(readFileSync(join(folder, inputsFile), 'utf8'))
    const isCurrent = inputs.every(([path, bytes, modifiedMs]) => {
      const { size, mtimeMs } = statSync(`${root}/${path}`)
      return size === bytes && mtimeMs === modifiedMs
    })
    return isCurrent ? pathToFileURL(join(folder, 'dist/')).href : undefined
  } catch {
    return undefined // no bundle, or a file is missing
  }
}

/** The bundle is executed: no other user may be able to replace the bundle. */
function isTrusted(root: string, uid: number | undefined): boolean {
  const dist = join(root, bundleFolder, 'dist')
  const trusted = [0, statSync(root).uid]
  const folders = [dist, dirname(dist), dirname(dirname(dist)), dirname(dirname(dirname(dist)))]
  return folders.every((folder) => isOf(folder, uid, trusted))
}
