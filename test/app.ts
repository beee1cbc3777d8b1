import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LightMyRequestResponse } from 'fastify'
import { sql } from 'kysely'
import type pino from 'pino'
import { type App, buildApp } from '../src/app.ts'
import { type Config, loadConfig } from '../src/core/config/load.ts'
import { digest } from '../src/core/crypto/digest.ts'
import { connect } from '../src/core/database/connect.ts'
import type { Database } from '../src/core/database/database.ts'
import type { Sinks } from '../src/core/events/events.ts'
import { type RouteRow, routeRows } from '../src/core/http/documents/route-table.ts'
import { createMeasurements } from '../src/core/measurements/measurements.ts'
import type { Module } from '../src/core/module/module.ts'
import { assertDistinctReasons, secretFields } from '../src/core/module/registry.ts'
import { settingsOfModules } from '../src/core/module/settings.ts'
import type { Role } from '../src/core/policy/principal.ts'
import type { Reason } from '../src/core/reasons/types.ts'
import { createLog, type Deps } from '../src/core/runtime/deps.ts'
import { eventsOf } from '../src/core/runtime/sinks.ts'
import { soleProcess } from '../src/core/workers/workers.ts'
import { modules as ours } from '../src/modules.ts'
import { afterwards } from './afterwards.ts'
import { type FixedClock, fixedClock } from './clock.ts'
import './openapi/answers.ts'
import {
  databaseSettings,
  enterDatabase,
  leaveDatabase,
  nodes,
  placeSqliteFile,
  testDatabase,
  timeoutFor,
} from './database.ts'
import { noted, noteLine } from './exchanges.ts'
import { describeSettings } from './openapi/operations.ts'
import { seededRandom } from './random.ts'

function byContent<T>(rows: readonly T[]): T[] {
  const texts = new Map(rows.map((row) => [row, JSON.stringify(row)] as const))
  return rows.toSorted((left, right) => {
    const [one = '', other = ''] = [texts.get(left), texts.get(right)]
    return one < other ? -1 : one > other ? 1 : 0
  })
}

export type Headers = Record<string, string>

export interface Call {
  readonly headers?: Record<string, string | string[]> | undefined
  /** Sent as JSON. */
  readonly json?: unknown
  /** Sent as a form. */
  readonly form?: Record<string, string>
  /** Sent unchanged; `headers` must name its content type. */
  readonly body?: string | Buffer
  /** The peer's address. */
  readonly from?: string
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>
  /** Parsed if it is JSON, otherwise the text. */
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts what it expects of a body
  readonly body: any
  readonly text: string
  /** The cookies that the answer sets: values by name. */
  readonly cookies: Record<string, string>
}

export interface Someone {
  readonly userId: number
  readonly username: string
  readonly password: string
}

export interface SessionHeaders extends Headers {
  cookie: string
  'x-csrf-token': string
}

export interface TestApp {
  readonly app: App & { readonly routes: () => RouteRow[] }
  readonly deps: Deps
  readonly clock: FixedClock
  /** The parsed lines of the log. */
  readonly log: Record<string, unknown>[]
  readonly directory: string
  readonly admin: Someone
  call(method: string, path: string, call?: Call): Promise<Answer>
  /** Creates an account through the API; its password is `passwordOf` its username. */
  account(username: string, roles?: readonly Role[], more?: object): Promise<Someone>
  /** Logs in; answers the headers of the session. */
  session(someone: Someone): Promise<SessionHeaders>
  bearer(someone: Someone): Promise<Headers>
  basic(someone: Someone): Headers
  token(someone: Someone): Promise<string>
  pair(someone: Someone): Promise<{ access_token: string; refresh_token: string }>
  /** Reads all rows of all tables, to prove that a refusal changed nothing. */
  rows(...except: string[]): Promise<Record<string, unknown[]>>
  /** Listens on a loopback port. */
  listen(): Promise<{ port: number; url: string }>
  close(): Promise<void>
}

// Without the audit log, which tells also of what changed nothing: it has tests of its own.
const tableNames = {
  sqlite: sql<{ name: string }>`
    select name from pragma_table_list
    where schema = 'main' and type = 'table' and name not like 'sqlite_%'
      and name not like 'audit_%' order by name`,
  postgres: sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'v')
      and relname not in ('row_count_slots', 'nodes', 'node_changes')
      and relname not like 'audit_%' order by name`,
}

// A count of nothing says as much as none.
const wanted = (name: string) => (name === 'row_counts' ? sql`where total <> 0` : sql``)

const rowsOf = {
  /** Asks first which tables have rows: most have none. */
  async sqlite(db: Database, names: readonly string[]) {
    const all: Record<string, unknown[]> = Object.fromEntries(names.map((name) => [name, []]))
    const filled = names.map(
      (name) => `select '${name}' as name where exists (select 1 from "${name}")`,
    )
    if (filled.length === 0) return all
    const { rows } = await sql.raw<{ name: string }>(filled.join(' union all ')).execute(db)
    for (const { name } of rows) {
      const query = sql`select * from ${sql.table(name)} ${wanted(name)}`
      all[name] = (await query.execute(db)).rows
    }
    return all
  },

  /** Uses one statement: a round trip for each table would be most of the work of many tests. */
  async postgres(db: Database, names: readonly string[]) {
    const all: Record<string, unknown[]> = Object.fromEntries(names.map((name) => [name, []]))
    const queries = names.map(
      (name) => sql`select ${sql.lit(name)} as name, row_to_json(${sql.ref(name)}.*)::text as row
        from ${sql.table(name)} ${wanted(name)}`,
    )
    if (queries.length === 0) return all
    const query = sql<{ name: string; row: string }>`${sql.join(queries, sql` union all `)}`
    for (const { name, row } of (await query.execute(db)).rows) all[name]?.push(JSON.parse(row))
    return all
  },
}

/** Tests that name a setting of hashes get the hashes of the service. */
const isAboutHashes = (env: Record<string, string>) =>
  Object.keys(env).some((name) => /^PASSWORD_(HASH|ARGON2|BCRYPT|PBKDF2)/.test(name))

/** The same kinds of hashes at a lower cost, for the thousands of logins that do not test it. */
function withQuickHashes(config: Config): Config {
  return { ...config, password: { ...config.password, argon2MemoryKib: 64, argon2Passes: 1 } }
}

/** Options of `testApp`: hashes with the default settings of the service. */
export const realHashes = { PASSWORD_HASH: 'argon2id' }

const adminPassword = 'the keeper of all tests'

/**
 * The password of an account made by `account`: it differs by account and does not hold the
 * username.
 */
export function passwordOf(username: string): string {
  return `pass phrase ${digest(username).slice(0, 12)}`
}

export interface TestOptions {
  /** An existing data directory, on which the service starts again. */
  readonly directory?: string
  readonly clock?: FixedClock
  readonly seed?: number
  readonly deps?: Partial<Deps>
  /** Starts without any table, as at the first start. */
  readonly isEmpty?: boolean
  /** The sinks of events, in place of those of the service. */
  readonly sinks?: Sinks
  readonly modules?: readonly Module[]
  /** Of `buildWeb` with the modules. */
  readonly builtPages?: URL
}

/** Data directories, with the number of services that were started on each. */
const started = new Map<string, number>()

/** Differs for each service on a directory: two nodes must not make the same ids. */
function nextSeed(directory: string): number {
  const seed = (started.get(directory) ?? 0) + 1
  started.set(directory, seed)
  return seed
}

/**
 * Starts the whole service on a database of its own, with a fixed clock and a deterministic
 * generator. No code of the service is replaced. It is closed when the tests of the file are done.
 */
export async function testApp(
  env: Record<string, string> = {},
  {
    directory = mkdtempSync(join(tmpdir(), 'gatehouse-')),
    clock = fixedClock(),
    seed = nextSeed(directory),
    deps: given = {},
    isEmpty = false,
    sinks,
    modules = ours,
    builtPages,
  }: TestOptions = {},
): Promise<TestApp> {
  const log: Record<string, unknown>[] = []
  const destination: pino.DestinationStream = {
    write: (line) => {
      log.push(JSON.parse(line))
      noteLine(line)
    },
  }
  if (!isEmpty) await placeSqliteFile(directory)
  const settings = {
    NODE_ENV: 'test',
    ...(await databaseSettings(directory, { isEmpty })),
    ADMIN_PASSWORD: adminPassword,
    TOKEN_ALGORITHM: 'HS256', // to generate an RSA key takes longer than most tests
    ...env,
    ...timeoutFor(env.DATABASE_TIMEOUT_MS),
  }
  const loaded = loadConfig(settings, await settingsOfModules(modules))
  const config = isAboutHashes(env) ? loaded : withQuickHashes(loaded)
  const logger = createLog(config.logLevel, { destination, secretFields: secretFields(modules) })
  const measurements = createMeasurements()
  const deps: Deps = {
    config,
    ...connect({
      ...config.database,
      synchronous: 'off',
      measurements: measurements.database,
      nodes,
    }),
    clock,
    random: seededRandom(seed),
    log: logger,
    fetch: globalThis.fetch,
    workers: soleProcess,
    measurements,
    ...given,
    events: eventsOf({
      config,
      clock: given.clock ?? clock,
      log: given.log ?? logger,
      measurements,
      ...(sinks && { sinks }),
    }),
  }
  const built = await buildApp(deps, {
    runsJobs: false,
    modules,
    ...(builtPages && { builtPages }),
  }) // tests run jobs themselves
  const app = { ...built, routes: () => routeRows(built.server.declared) }
  const unexplained = watchReasons(built.server, await assertDistinctReasons(modules))
  describeSettings(app.server, [env, modules.map(({ name }) => name)])
  await app.makeFirstAdministrator?.()
  enterDatabase(directory)
  let closed = false
  const close = async () => {
    if (closed) return
    closed = true
    await app.server.close()
    if (unexplained.length > 0) throw new Error(`no true reason: ${unexplained.join('; ')}`)
    if (await leaveDatabase(directory)) rmSync(directory, { recursive: true, force: true })
  }
  afterwards(async () => {
    await close()
    // node:test keeps the functions of a suite, and they keep what the suite has made.
    for (const name of Object.keys(test)) Reflect.deleteProperty(test, name)
  })

  const test: TestApp = {
    app,
    deps,
    clock,
    log,
    directory,
    admin: { userId: 1, username: config.admin.username, password: adminPassword },

    async call(method, path, { headers = {}, json, form, body, from } = {}) {
      const typed =
        json !== undefined
          ? { 'content-type': 'application/json' }
          : form
            ? { 'content-type': 'application/x-www-form-urlencoded' }
            : {}
      const payload =
        json !== undefined
          ? JSON.stringify(json)
          : form
            ? new URLSearchParams(form).toString()
            : body
      const sent = { method, path, headers: { ...typed, ...headers }, payload }
      const response = await noted(sent, () =>
        app.server.inject({
          method: method as 'GET', // any method may be tried
          url: path,
          headers: sent.headers,
          ...(payload !== undefined && { payload }),
          ...(from !== undefined && { remoteAddress: from }),
        }),
      )
      return answerOf(response)
    },

    async account(username, roles = ['USER'], more = {}) {
      const made = await test.call('POST', '/api/admin/accounts', {
        headers: test.basic(test.admin),
        json: {
          username,
          password: passwordOf(username),
          roles,
          name: username,
          email: 'someone@example.org',
          ...more,
        },
      })
      if (made.status !== 201) throw new Error(`no account: ${made.status} ${made.text}`)
      return {
        userId: made.body.user_id,
        username: made.body.username,
        password: passwordOf(username),
      }
    },

    async session({ username, password }) {
      const login = await test.call('POST', '/login', {
        form: { username, password, mode: 'session' },
      })
      const secret = login.cookies[config.session.cookieName]
      if (!secret) throw new Error(`no session: ${login.status} ${login.text}`)
      return {
        cookie: `${config.session.cookieName}=${secret}`,
        'x-csrf-token': login.body.csrf_token,
      }
    },

    async token({ username, password }) {
      const login = await test.call('POST', '/login', {
        json: { username, password, mode: 'token' },
      })
      if (login.status !== 200) throw new Error(`no token: ${login.status} ${login.text}`)
      return login.body.token
    },

    async bearer(someone) {
      return { authorization: `Bearer ${await test.token(someone)}` }
    },

    async pair({ username, password }) {
      const login = await test.call('POST', '/login', {
        json: { username, password, mode: 'pair' },
      })
      if (login.status !== 200) throw new Error(`no pair: ${login.status} ${login.text}`)
      return login.body
    },

    basic({ username, password }) {
      return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` }
    },

    async rows(...except) {
      const tables = await tableNames[testDatabase].execute(deps.db)
      const names = tables.rows.map(({ name }) => name).filter((name) => !except.includes(name))
      const all = await rowsOf[testDatabase](deps.db, names)
      // The queries have no order.
      return Object.fromEntries(Object.entries(all).map(([name, rows]) => [name, byContent(rows)]))
    },

    async listen() {
      await app.server.listen({ host: '127.0.0.1', port: 0 })
      const address = app.server.server.address()
      if (address === null || typeof address === 'string') throw new Error('no port')
      const scheme = config.http.tls ? 'https' : 'http'
      return { port: address.port, url: `${scheme}://127.0.0.1:${address.port}` }
    },

    close,
  }
  return test
}

/**
 * Collects refusals whose reason the registry lacks, or which has not the facts that are declared.
 * The types say the same of the sources; this sees what runs.
 */
function watchReasons(
  server: Pick<App['server'], 'refusalListeners'>,
  known: ReadonlyMap<string, Reason>,
): readonly string[] {
  const found: string[] = []
  server.refusalListeners.push((request, { reason, row }) => {
    const names = Object.keys(reason?.facts ?? {}).toSorted()
    const declared = known.get(reason?.code)
    if (declared && (declared.facts ?? []).toSorted().join() === names.join()) return
    const refusal = `${request.method} ${request.url} ${JSON.stringify(row)}`
    found.push(`${refusal}: ${JSON.stringify(reason)}`)
  })
  return found
}

/** Converts the answer to an injected request. */
export function answerOf(response: LightMyRequestResponse): Answer {
  const isJson = String(response.headers['content-type']).startsWith('application/json')
  return {
    status: response.statusCode,
    headers: response.headers,
    text: response.body,
    body: isJson && response.body !== '' ? JSON.parse(response.body) : response.body,
    cookies: Object.fromEntries(cookiesOf(response).map(({ name, value }) => [name, value])),
  }
}

/** The parser of cookies takes an answer that has a header Cookie for a request, and warns. */
function cookiesOf(response: LightMyRequestResponse) {
  return response.headers['set-cookie'] === undefined ? [] : response.cookies
}
