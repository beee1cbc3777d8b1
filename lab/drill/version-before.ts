import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
const oldest = '0.2.0'

export interface VersionBefore {
  readonly version: string
  readonly commit: string
}

export function presentVersion(): string {
  return versionOf(readFileSync(join(root, 'package.json'), 'utf8'))
}

/**
 * Finds the versions to upgrade from: the newest commit with a lower version than `present`, and
 * the commit that released that version. Not below 0.2.0. @throws Error if there is none
 */
export function versionsBefore(present = presentVersion()): VersionBefore[] {
  const lower = (version: string) => isLower(version, present) && !isLower(version, oldest)
  const [newest] = commitsWhere(['--first-parent', 'HEAD'], lower, 1)
  if (!newest) throw new Error(`the history has no version below ${present}`)
  // The last change of the line before that commit: it released the version.
  const [released] = commitsWhere(
    ['-G"version":', newest.commit, '--', 'package.json'],
    (version) => version === newest.version,
    1,
  )
  if (!released || isSameTree(released.commit, newest.commit)) return [newest]
  return [released, newest]
}

export function versionAt(name: string): VersionBefore {
  const commit = git('rev-parse', '--verify', `${name}^{commit}`)
  return { commit, version: versionOf(git('show', `${commit}:package.json`)) }
}

function commitsWhere(
  args: readonly string[],
  isWanted: (version: string) => boolean,
  most: number,
): VersionBefore[] {
  const found: VersionBefore[] = []
  for (const commit of git('log', '--format=%H', ...args).split('\n')) {
    if (commit === '') continue
    const version = versionOf(git('show', `${commit}:package.json`))
    if (!isWanted(version)) continue
    found.push({ commit, version })
    if (found.length === most) break
  }
  return found
}

/**
 * Builds a version in its own folder, with the installed packages if the lock file is the same.
 * Returns the folder.
 */
export function build({ commit }: VersionBefore): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-before-'))
  const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 1 << 30 })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  const isSame = git('rev-parse', `${commit}:package-lock.json`) === hashOf('package-lock.json')
  if (!isSame) {
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'ignore' })
    return folder
  }
  mkdirSync(join(folder, 'node_modules'))
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name === '.cache') continue // it holds a bundle of the present program
    const options = { recursive: true, verbatimSymlinks: true } as const
    cpSync(join(root, 'node_modules', name), join(folder, 'node_modules', name), options)
  }
  const web = ['--input-type=module', '-e', "(await import('./tools/build-web.ts')).buildWeb()"]
  execFileSync(process.execPath, web, { cwd: folder, stdio: 'ignore' })
  return folder
}

export function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
}

function isSameTree(one: string, other: string): boolean {
  const treeOf = (commit: string) => git('rev-parse', `${commit}:src`)
  return treeOf(one) === treeOf(other)
}

function hashOf(file: string): string {
  return git('hash-object', file)
}

function git(...args: readonly string[]): string {
  return execFileSync('git', [...args], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 }).trim()
}

function versionOf(text: string): string {
  return String(JSON.parse(text).version)
}

function isLower(one: string, other: string): boolean {
  const [left = [], right = []] = [one, other].map((text) => text.split('.').map(Number))
  const at = left.findIndex((number, index) => number !== right[index])
  return at !== -1 && (left[at] ?? 0) < (right[at] ?? 0)
}
