// This file, like bundle.ts and the two that import both, runs on every Node since 16, so that an old
// one is told what is missing: default imports, and nothing at the top level that is newer.
import { lstatSync, mkdirSync, readFileSync, realpathSync } from 'node:fs'
import module from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of package.json, of `src` and of `dist`. */
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** The part of `process` that decides. */
export interface Machine {
  readonly versions: { readonly node: string }
  readonly env: Readonly<Record<string, string | undefined>>
  /** Absent on Windows. */
  readonly getuid?: () => number
}

/**
 * Prepares Node for the modules that are imported next: whatever is imported before is compiled
 * anew at each start. Answers false, and says what is missing, if Node is too old.
 */
export function prepare(machine: Machine = process): boolean {
  const reason = refusalOf(machine.versions.node, needed())
  if (reason !== undefined) {
    process.stderr.write(`${reason}\n`)
    process.exitCode = 1
    return false
  }
  const folder = module.getCompileCacheDir() === undefined ? cacheFolder(machine) : undefined
  if (folder !== undefined) module.enableCompileCache(folder)
  return true
}

/** Answers one sentence if a version of Node is older than the needed one; otherwise undefined. */
export function refusalOf(version: string, oldest: string): string | undefined {
  const [has, needs] = [numbersOf(version), numbersOf(oldest)]
  const different = needs.findIndex((number, index) => number !== (has[index] ?? 0))
  if (different === -1 || (has[different] ?? 0) > (needs[different] ?? 0)) return undefined
  return `Gatehouse needs Node.js ${oldest} or newer, and this is ${version}.`
}

/**
 * Answers the folder of compiled modules, which it makes: the first that this user owns and no other
 * may write, because what is in it is executed. Undefined if there is none: modules are compiled
 * anew then.
 */
export function cacheFolder(
  { env, getuid }: Machine,
  { installation, temporary } = { installation: root, temporary: tmpdir() },
): string | undefined {
  const uid = getuid?.()
  const home = env.XDG_CACHE_HOME || (env.HOME && join(env.HOME, '.cache'))
  const modules = dirname(installation)
  const candidates = [
    // Of systemd, by `CacheDirectory=`: with DynamicUser a link of root's to the folder.
    env.CACHE_DIRECTORY && targetOf(env.CACHE_DIRECTORY),
    basename(modules) === 'node_modules'
      ? join(modules, '.cache/gatehouse')
      : join(installation, 'node_modules/.cache/gatehouse'),
    // Behind `sudo` HOME may be the home of another user.
    home && env.HOME && isOf(env.HOME, uid) ? join(home, 'gatehouse') : undefined,
    join(temporary, `gatehouse-${uid ?? 'cache'}`),
  ]
  return candidates.find((folder) => folder && isPrivate(folder, uid))
}

/** Where a link leads; the path itself if nothing is there yet. */
function targetOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

function isPrivate(folder: string, uid: number | undefined): boolean {
  // Not `recursive`: that makes more than two levels of it, and on /proc it never ends.
  for (const path of [dirname(folder), folder]) {
    try {
      mkdirSync(path, { mode: 0o700 })
    } catch {} // it exists, or it is not usable, as the next line finds
  }
  return isOf(folder, uid)
}

/**
 * Whether it is a folder of this user, or of one of `trusted`, not a link, and not writable by every
 * other user. Without a user, on Windows, each folder is.
 */
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

/** The oldest version of Node that `engines` of package.json admits. */
export function needed(): string {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return String(engines.node).replace(/^>=\s*/, '')
}

function numbersOf(version: string): number[] {
  return version.split('.').map(Number)
}
