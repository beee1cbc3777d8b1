import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { minLogLimitBytes } from '../../src/core/database/sqlite/checkpoints.ts'
import { databaseFileName } from '../../src/core/database/sqlite/connect.ts'
import { application, entry } from '../../test/clients.ts'
import { startCluster } from '../../test/faults/cluster.ts'
import { type ServiceNode, startNode } from '../../test/faults/node.ts'
import { masterKey } from '../../test/master-key.ts'
import { proxiedHosts, proxiedSettings } from '../../tools/proxied.ts'
import { processorMs, residentMegabytes, startCommand } from '../bench/processes.ts'
import { gatehouse } from '../drill/node.ts'

export const databases = ['sqlite', 'postgres'] as const
export type DatabaseName = (typeof databases)[number]

/** The service on a database: one node of two workers on SQLite, two nodes on PostgreSQL. */
export interface Side {
  readonly name: DatabaseName
  readonly nodes: readonly ServiceNode[]
  processes(): ProcessFigures[]
  /** The number of processes that `processes` has seen. */
  started(): number
  /** The number of rows of each table. */
  rows(): Promise<Map<string, number>>
  count(table: string, where: string): Promise<number>
  /** What else must not grow: the write-ahead log of SQLite, or the connections to PostgreSQL. */
  storage(): Promise<Storage>
  /** Lines of the logs from `error` on, except those that the people cause on purpose. */
  readonly errors: string[]
  /** Runs a command of the program next to the service. @throws Error with its output */
  command(words: readonly string[], input?: string): Promise<string>
  remove(): Promise<void>
}

export interface Storage {
  readonly name: string
  readonly value: number
  /** How much it may gain in a run. */
  readonly least: number
}

export interface ProcessFigures {
  /** The same until the process is started again. */
  readonly name: string
  readonly pid: number
  readonly residentMb: number
  readonly descriptors: number
  /** Processor time so far. */
  readonly cpuMs: number
}

/** Rows of logins end within minutes, so that their number can be steady in a run of half an hour. */
const settings = {
  ...proxiedSettings,
  ACCESS_TOKEN_SECONDS: '120',
  ACCOUNT_DELETION_DAYS: '0',
  APP_PASSWORDS: 'on',
  DATABASE_TIMEOUT_MS: '10000', // other work on the machine must not end requests
  EMAIL_VERIFICATION_SECONDS: '600',
  LOGIN_ADDRESS_WINDOW_SECONDS: '120',
  LOGIN_ATTEMPTS: '5',
  LOGIN_IP_ATTEMPTS: '20',
  LOGIN_LOCK_AFTER: '10',
  LOGIN_TOKEN_SECONDS: '600',
  LOGIN_WINDOW_SECONDS: '120',
  MAIL_FROM: 'Gatehouse <no-reply@auth.example.org>',
  MAIL_PER_MINUTE: '0',
  PASSWORD_RESET_SECONDS: '600',
  POSTS_DELETE_POLICY: 'owner',
  PROVIDER: 'on',
  RATE_LIMIT_MAX: '1000',
  RATE_LIMIT_WINDOW_SECONDS: '60',
  REFRESH_ROTATION: 'on',
  REFRESH_TOKEN_SECONDS: '300',
  SESSION_IDLE_SECONDS: '120',
  SIGN_UP: 'open',
  SIGN_UP_ROLES: 'USER,EDITOR',
}

/** What the names of processes end with that are not the first. */
export const restarted = ', restarted'
const workerNames = ['primary', 'worker 1', 'worker 2']

export async function startSide(name: DatabaseName, smtpPort: number): Promise<Side> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-soak-'))
  const write = (file: string, content: object) => {
    writeFileSync(join(folder, file), JSON.stringify(content), { mode: 0o600 })
    return join(folder, file)
  }
  const hosts = [proxiedHosts.wiki]
  const rules = [{ hosts, policy: 'one_factor', app_passwords: true }]
  const clients = [application('notes', { consent: 'none' }), entry('shop')]
  const database = name === 'sqlite' ? openSqlite(folder) : await openPostgres()
  const env: Record<string, string> = {
    ...startCommand.environment,
    ...settings,
    ...database.env,
    MASTER_KEY: masterKey,
    CLIENTS_FILE: write('clients.json', { clients }),
    FORWARD_AUTH_FILE: write('rules.json', { rules }),
    SMTP_URL: `smtp+insecure://127.0.0.1:${smtpPort}`,
  }
  const flags = startCommand.command.slice(0, -1)
  const nodes: ServiceNode[] = []
  for (const directory of database.directories(folder)) {
    nodes.push(await startNode({ env, flags, directory }))
  }
  const started = new Map<number, string>()
  const errors: string[] = []
  for (const node of nodes) watchLog(node, errors)
  return {
    name,
    nodes,
    errors,
    started: () => started.size,
    rows: database.rows,
    count: database.count,
    storage: database.storage,

    processes() {
      return nodes.flatMap(({ service }, index) => {
        const first = service.process.pid ?? 0
        return treeBelow(first).map((pid, number) => {
          const role = nodes.length > 1 ? `node ${index + 1}` : (workerNames[number] ?? '')
          const isFirst = started.size < database.processes
          const name = started.get(pid) ?? `${role}${isFirst ? '' : restarted}`
          started.set(pid, name)
          return figuresOf(name, pid)
        })
      })
    },

    command: (words, input = '') =>
      gatehouse(words, { ...env, DATA_DIR: nodes[0]?.directory ?? '' }, { input }),

    async remove() {
      await Promise.all(nodes.map((node) => node.remove()))
      await database.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A person sends a token that has ended, and the service logs that as an error. */
const expected = '"event":"authn_token_reuse"'

/** Adds lines of the log of the process that runs. */
export function watchLog({ service }: ServiceNode, errors: string[]): void {
  for (const stream of [service.process.stdout, service.process.stderr]) {
    if (!stream) continue
    createInterface({ input: stream }).on('line', (line) => {
      if (/"level":"(error|fatal)"/.test(line) && !line.includes(expected)) errors.push(line)
    })
  }
}

interface OpenDatabase extends Pick<Side, 'rows' | 'count' | 'storage'> {
  readonly env: Record<string, string>
  /** Of the service when all nodes run. */
  readonly processes: number
  directories(folder: string): string[]
  close(): Promise<void>
}

function openSqlite(folder: string): OpenDatabase {
  const directory = join(folder, 'data')
  let file: DatabaseSync | undefined
  const all = (text: string) => {
    file ??= new DatabaseSync(join(directory, databaseFileName), { readOnly: true, timeout: 5000 })
    return file.prepare(text).all()
  }
  const count = async (table: string, where: string) =>
    Number(all(`select count(*) as count from "${table}" where ${where}`)[0]?.count)
  return {
    env: { WORKERS: '2' },
    processes: 3,
    directories: () => [directory],
    count,
    rows: () =>
      counted(
        all(
          "select name from pragma_table_list where type <> 'virtual' and name not like 'sqlite_%'",
        ),
        count,
      ),
    async storage() {
      const path = join(directory, databaseFileName)
      const size = (name: string) => statSync(name, { throwIfNoEntry: false })?.size ?? 0
      // docs/reliability.md: above this the service truncates the log.
      const limit = Math.max(minLogLimitBytes, 4 * size(path))
      const value = size(`${path}-wal`) / limit
      return { name: 'write-ahead log, part of its limit', value, least: 0.5 }
    },
    close: async () => file?.close(),
  }
}

async function openPostgres(): Promise<OpenDatabase> {
  const cluster = await startCluster({ autovacuum: 'on' })
  const url = cluster.url(await cluster.createDatabase())
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const count = async (table: string, where: string) => {
    const { rows } = await client.query(`select count(*) as count from "${table}" where ${where}`)
    return Number(rows[0]?.count)
  }
  return {
    env: { DATABASE_URL: url },
    processes: 2,
    directories: (folder) => [join(folder, 'node-1'), join(folder, 'node-2')],
    count,
    async rows() {
      const tables = await client.query(
        "select tablename as name from pg_tables where schemaname = 'public'",
      )
      return counted(tables.rows, count)
    },
    async storage() {
      const own = 'datname = current_database() and pid <> pg_backend_pid()'
      const value = await count('pg_stat_activity', own)
      return { name: 'connections to PostgreSQL', value, least: 5 }
    },
    async close() {
      await client.end()
      await cluster.remove()
    },
  }
}

async function counted(
  tables: readonly { name?: unknown }[],
  count: Side['count'],
): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  for (const { name } of tables) found.set(String(name), await count(String(name), '1 = 1'))
  return found
}

function treeBelow(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return [pid, ...text.trim().split(' ').filter(Boolean).map(Number)]
  } catch {
    return [] // it is being restarted
  }
}

function figuresOf(name: string, pid: number): ProcessFigures {
  return {
    name,
    pid,
    residentMb: residentMegabytes(pid).now,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    cpuMs: processorMs(pid),
  }
}
