// This file, bundle.ts and their importers run on Node 16, so that an old Node gets a readable
// error: default imports, no newer syntax at the top level.
import { lstatSync, mkdirSync, readFileSync, realpathSync } from 'node:fs'
import module from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { addEnvFile } from './env-file.ts'

/** Contains package.json, `src` and `dist`. */
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

export interface Machine {
  readonly versions: { readonly node: string }
  /** Gets the settings of the file `.env`. */
  readonly env: Record<string, string | undefined>
  /** Absent on Windows. */
  readonly getuid?: () => number
}

/**
 * Call before other imports, which are otherwise compiled at each start. Returns false if Node is too
 * old, or the file `.env` has mistakes.
 */
export function prepare(machine: Machine = process): boolean {
  const reason = refusalOf(machine.versions.node, needed())
  if (reason !== undefined) {
    process.stderr.write(`${reason}\n`)
    process.exitCode = 1
    return false
  }
  const mistakes = addEnvFile(machine.env, join(root, '.env'))
  if (mistakes.length > 0) {
    for (const mistake of mistakes) process.stderr.write(`${mistake}\n`)
    process.exitCode = 1
    return false
  }
  const folder = module.getCompileCacheDir() === undefined ? cacheFolder(machine) : undefined
  if (folder !== undefined) module.enableCompileCache(folder)
  return true
}

/** Undefined if new enough. */
export function refusalOf(version: string, oldest: string): string | undefined {
  const [has, needs] = [numbersOf(version), numbersOf(oldest)]
  const different = needs.findIndex((number, index) => number !== (has[index] ?? 0))
  if (different === -1 || (has[different] ?? 0) > (needs[different] ?? 0)) return undefined
  return `Gatehouse needs Node.js ${oldest} or newer, and this is ${version}.`
}

/**
 * The compile cache: the first folder that this user owns and no other user can write, because its
 * content is executed.
 */
export function cacheFolder(
  { env, getuid }: Machine,
  { installation, temporary } = { installation: root, temporary: tmpdir() },
): string | undefined {
  const uid = getuid?.()
  const home = env.XDG_CACHE_HOME || (env.HOME && join(env.HOME, '.cache'))
  const modules = dirname(installation)
  const candidates = [
    // systemd's `CacheDirectory=`; with DynamicUser a link owned by root.
    env.CACHE_DIRECTORY && targetOf(env.CACHE_DIRECTORY),
    basename(modules) === 'node_modules'
      ? join(modules, '.cache/gatehouse')
      : join(installation, 'node_modules/.cache/gatehouse'),
    // With `sudo`, HOME may belong to another user.
    home && env.HOME && isOf(env.HOME, uid) ? join(home, 'gatehouse') : undefined,
    join(temporary, `gatehouse-${uid ?? 'cache'}`),
  ]
  return candidates.find((folder) => folder && isPrivate(folder, uid))
}

function targetOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

function isPrivate(folder: string, uid: number | undefined): boolean {
  // Not `recursive`: would create more levels, and never ends on /proc.
  for (const path of [dirname(folder), folder]) {
    try {
      mkdirSync(path, { mode: 0o700 })
    } catch {} // the next line checks the result
  }
  return isOf(folder, uid)
}

/** Owned by this user or `trusted`, no link, and not world-writable. Always true on Windows. */
export function isOf(
  folder: string,
  uid: number | undefined,
  trusted: readonly number[] = [],
): boolean {
  try {
    const found = lstatSync(folder)
    if (!found.isDirectory()) return false
    if (uid === undefined) return true
    return (found.uid === uid || trusted.includes(found.uid)) && (found.mode & 0o202) === 0o200
  } catch {
    return false
  }
}

/** From `engines` of package.json. */
export function needed(): string {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return String(engines.node).replace(/^>=\s*/, '')
}

function numbersOf(version: string): number[] {
  return version.split('.').map(Number)
}
