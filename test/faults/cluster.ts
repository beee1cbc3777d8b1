import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { type Cluster, makeCluster, runCluster } from '../postgres.ts'
import { waitUntil } from './waiting.ts'

/** A PostgreSQL that a test may stop, kill, pause and start again on the same files. */
export interface RestartableCluster {
  /** Of the unix socket, for a proxy in front of it. */
  readonly socket: string
  /** A new database, empty; answers its name. */
  createDatabase(): Promise<string>
  url(database: string): string
  /** Of the first process of the server. */
  pid(): number
  start(): Promise<void>
  /** Ends it: SIGINT throws its clients out first, SIGKILL waits for no client. */
  end(signal: 'SIGINT' | 'SIGKILL'): Promise<void>
  /** All of its processes stand still. */
  pause(): void
  resume(): void
  query<T extends object>(database: string, text: string): Promise<T[]>
  remove(): Promise<void>
}

// Paused processes could not be ended.
const script = `"$@" & server=$!; read _; kill -CONT $server; kill -QUIT $server; wait $server`

/** Commits wait for the disk here, as they do on a server in production. */
const settings = { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on' }

/** @param more settings of the server */
export async function startCluster(
  more: Record<string, string> = {},
  cluster: Cluster = makeCluster(),
): Promise<RestartableCluster> {
  let shell: ChildProcess | undefined
  let paused: number[] = []
  let databases = 0

  const self: RestartableCluster = {
    socket: join(cluster.folder, '.s.PGSQL.5432'),
    url: cluster.url,
    pid: postmaster,

    async createDatabase() {
      databases += 1
      const name = `faults_${databases}`
      await self.query('postgres', `create database ${name}`)
      return name
    },

    async start() {
      shell = await runCluster(cluster, { script, settings: { ...settings, ...more } })
    },

    async end(signal) {
      const first = postmaster()
      const all = [first, ...childrenOf(first)]
      process.kill(first, signal)
      // Those of a killed server notice by themselves that it is gone; until then the files are theirs.
      await waitUntil('the end of PostgreSQL', () => !all.some(isThere))
      if (signal === 'SIGKILL') rmSync(join(cluster.data, 'postmaster.pid'), { force: true })
      shell?.ref()
      const ended = shell && once(shell, 'exit')
      shell?.stdin?.destroy()
      await ended
    },

    pause() {
      const first = postmaster()
      process.kill(first, 'SIGSTOP') // it starts no more, so that the list is whole
      paused = [first, ...childrenOf(first)]
      for (const pid of paused) signalIfThere(pid, 'SIGSTOP')
    },

    resume() {
      for (const pid of paused.reverse()) signalIfThere(pid, 'SIGCONT')
      paused = []
    },

    async query<T extends object>(database: string, text: string) {
      const client = new pg.Client({ connectionString: cluster.url(database) })
      client.on('error', () => {})
      await client.connect()
      try {
        return (await client.query<T>(text)).rows
      } finally {
        await client.end().catch(() => {})
      }
    },

    async remove() {
      self.resume()
      if (shell?.exitCode === null) await self.end('SIGINT').catch(() => {})
      rmSync(cluster.folder, { recursive: true, force: true })
    },
  }

  function postmaster(): number {
    return Number(readFileSync(join(cluster.data, 'postmaster.pid'), 'utf8').split('\n', 1)[0])
  }

  await self.start()
  return self
}

function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return text.trim().split(' ').filter(Boolean).map(Number)
}

function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // it has ended by itself
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0] !== 'Z'
  } catch {
    return false
  }
}
