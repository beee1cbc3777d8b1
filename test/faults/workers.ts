import { readFileSync } from 'node:fs'
import { startCluster } from './cluster.ts'
import { type Caller, callerOf, type Reply, type Sent } from './http.ts'
import { type NodeOptions, type ServiceNode, startNode } from './node.ts'
import { waitUntil } from './waiting.ts'

export const databases = ['sqlite', 'postgres'] as const
export type DatabaseName = (typeof databases)[number]

/** A service of several workers; each call opens a connection of its own, so they take turns. */
export interface WorkersNode extends ServiceNode {
  call: Caller['call']
  /** Calls until each worker has answered, and answers one reply of each. */
  atEach(method: string, path: string, sent?: Sent): Promise<Reply[]>
  /** How many connections to PostgreSQL are open. */
  connections(): Promise<number>
  /** The process ids of the workers, the first one first. */
  pids(): number[]
  /** The lines of the log that have a field of this value. @throws Error if a line is no JSON */
  lines(field: string, value: unknown): Record<string, unknown>[]
  /** The whole log. @throws Error if a line is no JSON */
  log(): Record<string, unknown>[]
}

export interface WorkersOptions extends NodeOptions {
  readonly database?: DatabaseName
  readonly count?: number
}

export async function startWorkers({
  database = 'sqlite',
  count = 2,
  env = {},
  ...options
}: WorkersOptions = {}): Promise<WorkersNode> {
  const cluster = database === 'postgres' ? await startCluster() : undefined
  const name = (await cluster?.createDatabase()) ?? ''
  const DATABASE_URL = cluster?.url(name) ?? ''
  const node = await startNode({
    ...options,
    env: { WORKERS: String(count), DATABASE_URL, DATABASE_TIMEOUT_MS: '20000', ...env },
  })
  const fresh = callerOf(node.service.url, { keepAlive: false })
  const log = () =>
    node.service
      .output()
      .split('\n')
      .slice(0, -1) // the last is not whole yet
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line))

  return {
    ...node,
    service: node.service,
    caller: node.caller,
    call: fresh.call,

    async atEach(method, path, sent) {
      const answered = new Map<string, Reply>()
      await waitUntil('an answer of each worker', async () => {
        const reply = await fresh.call(method, path, sent)
        answered.set(workerOf(reply), reply)
        return answered.size === count
      })
      return [...answered.values()]
    },

    async connections() {
      const rows = await cluster?.query<{ count: number }>(
        name,
        'select count(*)::int as count from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      )
      return rows?.[0]?.count ?? 0
    },

    pids: () => childrenOf(node.service.process.pid ?? 0),
    log,
    lines: (field, value) => log().filter((line) => line[field] === value),

    async remove() {
      fresh.close()
      await node.remove()
      await cluster?.remove()
    },
  }
}

/** The worker that has answered: ids of requests begin with one of the process. */
export function workerOf({ headers }: Pick<Reply, 'headers'>): string {
  return String(headers['x-request-id']).slice(0, 8)
}

function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return text.trim().split(' ').filter(Boolean).map(Number)
}

/** Whether a process is there, and not only its entry. */
export function isRunning(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0] !== 'Z'
  } catch {
    return false
  }
}

/** How often each status was answered. */
export function statusesOf(answers: readonly Reply[]): Record<number, number> {
  const groups = Map.groupBy(answers, ({ status }) => status)
  return Object.fromEntries([...groups].map(([status, { length }]) => [status, length]))
}
