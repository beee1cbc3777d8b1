import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { currentBundle } from '../../src/cli/bundle.ts'

interface Lock {
  readonly packages: Readonly<Record<string, { version?: string; optional?: boolean }>>
}

/**
 * Installs the packages of this folder by `npm ci`, without their install scripts, unless they are
 * there in the pinned versions. The project's own `npm ci` never does.
 */
export function installPeers(folder = import.meta.dirname): void {
  if (isInstalled(folder)) return
  process.stderr.write('installing what the service is measured beside ...\n')
  const options = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  execFileSync('npm', options, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] })
}

/**
 * Makes the bundle that `npm start` loads, and fills the compile cache, unless the bundle is newer
 * than the sources.
 */
export function prepareService(): void {
  if (currentBundle() !== undefined) return
  process.stderr.write('bundling the service ...\n')
  const root = join(import.meta.dirname, '../..')
  execFileSync(process.execPath, ['tools/warm.ts'], { cwd: root, stdio: ['ignore', 2, 'inherit'] })
  if (currentBundle() === undefined) throw new Error('there is no current bundle')
}

/** npm writes the list of what it installed when it has finished. */
export function isInstalled(folder: string): boolean {
  const wanted = readLock(join(folder, 'package-lock.json'))
  const present = readLock(join(folder, 'node_modules', '.package-lock.json'))
  if (wanted === undefined || present === undefined) return false
  return Object.entries(wanted.packages).every(
    ([path, { version, optional }]) =>
      path === '' || optional || present.packages[path]?.version === version,
  )
}

function readLock(path: string): Lock | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}
