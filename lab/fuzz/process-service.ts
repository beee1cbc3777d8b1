import { type ChildProcess, fork } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request as get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { RestartableCluster } from '../../test/faults/cluster.ts'
import type { ApiDocument } from '../../test/openapi/operations.ts'
import type { ReadAnswer } from './answers.ts'
import { injected } from './inject.ts'
import { type FuzzedService, settingsOfRuns } from './service.ts'
import { exchange, type Sent } from './sockets.ts'
import { type Concrete, written } from './twists.ts'

export interface ProcessOptions {
  readonly cluster: RestartableCluster | null
  readonly module?: string | undefined
}

const startMs = 60_000
const silenceMs = 120
const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

export async function startProcess(options: ProcessOptions): Promise<FuzzedService> {
  const { cluster, module } = options
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-fuzz-'))
  const keeper = { username: 'keeper', password: `cnry${randomBytes(10).toString('hex')}` }
  const client = { id: 'fuzz', secret: randomBytes(32).toString('base64url') }
  const masterKey = randomBytes(32).toString('hex')
  const providerSecret = randomBytes(24).toString('base64url')
  const data = join(directory, 'data')
  mkdirSync(data, { mode: 0o700 })
  const clientsFile = join(directory, 'clients.json')
  const secret_hash = `sha256:${createHash('sha256').update(client.secret).digest('hex')}`
  const entry = { id: client.id, secret_hash, audiences: ['api'], may: ['introspect', 'revoke'] }
  writeFileSync(clientsFile, JSON.stringify({ clients: [entry] }), { mode: 0o600 })
  const database = cluster && (await cluster.createDatabase())
  const child = fork(join(import.meta.dirname, 'host.ts'), {
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      ...(process.env.PATH !== undefined && { PATH: process.env.PATH }),
      ...(process.env.TMPDIR !== undefined && { TMPDIR: process.env.TMPDIR }),
      NODE_COMPILE_CACHE: 'node_modules/.cache/gatehouse',
      ...settingsOfRuns,
      PORT: '0',
      DATA_DIR: data,
      ...(cluster &&
        database && { DATABASE_URL: cluster.url(database), DATABASE_TIMEOUT_MS: '10000' }),
      ADMIN_USERNAME: keeper.username,
      ADMIN_PASSWORD: keeper.password,
      MASTER_KEY: masterKey,
      OIDC_CLIENT_SECRET: providerSecret,
      CLIENTS_FILE: clientsFile,
      ...(module !== undefined && { FUZZ_MODULE: module }),
    },
  })
  running.add(child)
  let end: string | null = null
  child.on('exit', (code, signal) => {
    running.delete(child)
    end = `the process ended: ${signal ?? `exit code ${code}`}`
  })
  const waiting = new Map<number, (answer: ReadAnswer | string) => void>()
  child.on('message', (message) => {
    const { number, answer } = message as { number: number; answer: ReadAnswer | string }
    waiting.get(number)?.(answer)
    waiting.delete(number)
  })
  const lines: string[] = []
  readLines(child, lines)
  const port = await portOf(child, lines)
  const document = JSON.parse(await textAt(port, '/api/openapi.json')) as ApiDocument
  let requests = 0

  function inject(request: Concrete, hangMs: number): Promise<Sent> {
    requests += 1
    const number = requests
    return new Promise((resolve) => {
      const hang = setTimeout(() => {
        waiting.delete(number)
        resolve({ answers: [], fault: `no end after ${hangMs} ms` })
      }, hangMs)
      waiting.set(number, (answer) => {
        clearTimeout(hang)
        if (typeof answer === 'string') resolve({ answers: [], fault: answer })
        else resolve({ answers: [answer], fault: null })
      })
      child.send({ number, request: injected(request) }, (error) => {
        if (error) waiting.get(number)?.(`not sent: ${error.message}`)
      })
    })
  }

  return {
    document,
    keeper,
    client,
    now: Date.now,
    secrets: [keeper.password, client.secret, masterKey, providerSecret],
    send: (request, { twist, isInjected, hangMs }) =>
      isInjected
        ? inject(request, hangMs)
        : exchange(port, written(request, twist), { hangMs, silenceMs }),
    takeLog: () => lines.splice(0),
    tables: () => (cluster && database ? postgresTables(cluster, database) : sqliteTables(data)),
    ended: () => end,
    async close() {
      if (end === null) {
        const exited = new Promise((resolve) => child.once('exit', resolve))
        child.kill('SIGKILL')
        await exited
      }
      if (cluster && database) {
        await cluster.query('postgres', `drop database ${database} with (force)`)
      }
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** Standard output is the log; so is standard error, where there must be nothing. */
function readLines(child: ChildProcess, lines: string[]): void {
  for (const stream of [child.stdout, child.stderr]) {
    let rest = ''
    stream?.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\n')
      rest = parts.pop() ?? ''
      lines.push(...parts)
    })
  }
}

async function portOf(child: ChildProcess, lines: readonly string[]): Promise<number> {
  for (let waitedMs = 0; waitedMs < startMs; waitedMs += 20) {
    for (const line of lines) {
      const [, port] = /"address":"http:\/\/127\.0\.0\.1:(\d+)"/.exec(line) ?? []
      if (port !== undefined) return Number(port)
    }
    if (child.exitCode !== null) break
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`the service did not start:\n${lines.join('\n')}`)
}

function textAt(port: number, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, agent: false }, async (response) => {
      let text = ''
      for await (const chunk of response.setEncoding('utf8')) text += chunk
      resolve(text)
    })
      .on('error', reject)
      .end()
  })
}

async function sqliteTables(directory: string): Promise<ReadonlyMap<string, string>> {
  const db = new DatabaseSync(join(directory, 'gatehouse.db'), { readOnly: true, timeout: 10_000 })
  try {
    // An index of a search keeps its rows in tables of their own.
    const names = db
      .prepare(`select name from pragma_table_list where schema = 'main' and type = 'table'
        union select name from pragma_table_list where schema = 'main' and type = 'shadow'`)
      .all()
    const texts = names.map(({ name }): [string, string] => {
      const rows = db.prepare(`select * from "${String(name).replaceAll('"', '""')}"`)
      rows.setReadBigInts(true)
      return [String(name), rows.all().map(rowText).join('\n')]
    })
    // The file too: it keeps what was deleted until it is overwritten.
    const files = ['gatehouse.db', 'gatehouse.db-wal'].map((name): [string, string] => [
      `file ${name}`,
      readFileSync(join(directory, name), 'latin1'),
    ])
    return new Map([...texts, ...files])
  } finally {
    db.close()
  }
}

async function postgresTables(cluster: RestartableCluster, database: string) {
  const names = await cluster.query<{ name: string }>(
    database,
    `select quote_ident(relname) as name from pg_class
     where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace`,
  )
  const texts = new Map<string, string>()
  for (const { name } of names) {
    const rows = await cluster.query<object>(database, `select * from ${name}`)
    texts.set(name, rows.map((row) => rowText(row as Record<string, unknown>)).join('\n'))
  }
  return texts
}

/** The values of a row; bytes also as hexadecimal digits. */
export function rowText(row: Readonly<Record<string, unknown>>): string {
  const values = Object.values(row).map((value) => {
    if (!(value instanceof Uint8Array))
      return typeof value === 'object' ? JSON.stringify(value) : String(value)
    const bytes = Buffer.from(value)
    return `${bytes.toString('latin1')} ${bytes.toString('hex')}`
  })
  return values.join(' ')
}
