import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/** A stage of `npm run release-check` that tries what is shipped, with tools of Debian. Needs root. */
export interface Stage {
  /** In the network of the machine: packages and file systems. @throws Skipped */
  readonly prepare: (folder: string) => void
  /** In a network, mounts and processes of its own, which end with it. Returns its figures. */
  readonly run: (folder: string) => Promise<string>
}

/** The machine lacks what a stage needs. */
export class Skipped extends Error {}

export const root = join(import.meta.dirname, '../..')
export const { version }: { version: string } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
)

/** Options of `unshare`: mounts and processes of its own, which end with the program. */
export const isolated = ['--mount', '--pid', '--fork', '--mount-proc', '--kill-child']

/** Runs a program, and returns its standard output. @throws Error with all output if it fails */
export function run(
  program: string,
  args: readonly string[],
  options: {
    readonly cwd?: string
    readonly env?: NodeJS.ProcessEnv
    readonly input?: string
  } = {},
): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    ...options,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  if (status !== 0) {
    throw error ?? new Error(`${program} ${args.join(' ')}: ${status}\n${stdout}${stderr}`)
  }
  return stdout
}

let isUpdated = false

/** Installs Debian packages that the machine lacks. @throws Skipped if they cannot be had */
export function install(packages: readonly string[]): void {
  const lacks = packages.filter((name) => spawnSync('dpkg', ['--status', name]).status !== 0)
  if (lacks.length === 0) return
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  try {
    if (!isUpdated) execFileSync('apt-get', ['update', '-qq'], { stdio: 'ignore' })
    isUpdated = true
    run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...lacks], { env })
  } catch {
    throw new Skipped(`these packages cannot be had: ${lacks.join(', ')}`)
  }
}

/** Makes a root file system of Debian in an archive. @throws Skipped if Debian cannot be reached */
export function debian(
  archive: string,
  suite: string,
  packages: string,
  ...options: string[]
): void {
  try {
    run('mmdebstrap', [
      '--variant=minbase',
      ...options,
      ...(packages === '' ? [] : [`--include=${packages}`]),
      suite,
      archive,
    ])
  } catch (error) {
    throw new Skipped(
      `Debian ${suite} cannot be had: ${error instanceof Error ? error.message : error}`,
    )
  }
}

/** The lines of the first listing of a section of docs/deploy.md, continued lines as one. */
export function listingOf(section: string): string[] {
  const text = readFileSync(join(root, 'docs/deploy.md'), 'utf8')
  const [, part = ''] = text.split(`\n## ${section}\n`)
  const [, listing] = /^```sh\n(.*?)^```$/ms.exec(part) ?? []
  if (listing === undefined) throw new Error(`docs/deploy.md has no listing in "${section}"`)
  return listing
    .replaceAll('\\\n', '')
    .split('\n')
    .filter((line) => line !== '')
}

/** Calls until it returns something. @throws Error with the last reason after 60 s */
export async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  let reason: unknown = 'nothing'
  for (const end = Date.now() + 60_000; Date.now() < end; await wait(50)) {
    try {
      const found = await look()
      if (found !== undefined) return found
    } catch (error) {
      reason = error
    }
  }
  throw new Error(`${what}: not within 60 s`, { cause: reason })
}

/** Resolves to the milliseconds until `/health/ready` answers 200. */
export async function ready(url: string): Promise<number> {
  const startedAt = performance.now()
  await until(`${url}/health/ready`, async () =>
    (await fetch(`${url}/health/ready`)).status === 200 ? true : undefined,
  )
  return Math.round(performance.now() - startedAt)
}
