import { readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isOf } from './prepare.ts'

/** A file of a bundle, or of which it was made, relative to the root, and what tells whether it has changed. */
export type Input = readonly [path: string, bytes: number, modifiedMs: number]

/** Where `npm ci` puts the bundle of a checkout, relative to its root. docs/adr/0044 */
export const bundleFolder = 'node_modules/.cache/gatehouse/bundle'
export const inputsFile = 'inputs.json'

/** The root of the sources; what is built runs as it is. */
const checkout = import.meta.url.endsWith('.ts')
  ? dirname(dirname(dirname(fileURLToPath(import.meta.url))))
  : undefined

/**
 * Answers the URL of the folder of bundled modules if the bundle is made of the files as they are
 * now; otherwise undefined, and the sources run. So an edit of a source or of a dependency counts at
 * once. It compares the sizes and times of 1,300 files, which takes 10 ms.
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
    return undefined // there is none, or a file of it is gone
  }
}

/**
 * Whether a bundle is of this user, of the owner of the sources or of root, and no other user can put
 * another one in its place: it is executed.
 */
function isTrusted(root: string, uid: number | undefined): boolean {
  const dist = join(root, bundleFolder, 'dist')
  const trusted = [0, statSync(root).uid]
  const folders = [dist, dirname(dist), dirname(dirname(dist)), dirname(dirname(dirname(dist)))]
  return folders.every((folder) => isOf(folder, uid, trusted))
}
