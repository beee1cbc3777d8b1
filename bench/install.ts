import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

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
