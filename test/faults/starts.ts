import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { databaseFileName } from '../../src/core/database/sqlite/connect.ts'
import { basic, startNode } from './node.ts'
import { preloaded, tellsItsCpu, toldCpuMs } from './preload.ts'
import { waitUntil } from './waiting.ts'

export interface FailedStart {
  readonly code: number | null
  readonly output: string
  readonly milliseconds: number
  /** Of its CPU: what a loaded machine does not change. */
  readonly cpuMs: number
}

/** A start that is expected to fail, with nothing in its environment but what is given. */
export async function failedStart(
  env: Record<string, string>,
  flags = preloaded(tellsItsCpu),
): Promise<FailedStart> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [...flags, 'src/main.ts'], {
    cwd: join(import.meta.dirname, '../..'),
    env: { PATH: process.env.PATH ?? '', PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part) => {
      output += part
    })
  }
  const [code] = await once(child, 'close')
  const milliseconds = performance.now() - startedAt
  return {
    ...{ code, output, milliseconds },
    get cpuMs() {
      return toldCpuMs(output)
    },
  }
}

const noPasswordFile = `import fs from 'node:fs'
  import { syncBuiltinESMExports } from 'node:module'
  const { openSync } = fs
  fs.openSync = (path, ...how) => {
    if (String(path).includes('first-password')) throw new Error('a full disk')
    return openSync(path, ...how)
  }
  syncBuiltinESMExports()`

/** A start of two workers where the first finds at the last moment that it makes no administrator. */
export async function startWithoutAdministrator(): Promise<FailedStart> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-fault-'))
  const env = { DATA_DIR: folder, NODE_ENV: 'test', WORKERS: '2' }
  try {
    return await failedStart(env, preloaded(noPasswordFile))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Four settings that are wrong, each in a way of its own. */
export const wrongSettings = {
  PORT: 'many',
  NODE_ENV: 'staging',
  TOKEN_SECRET: 'short',
  DATABASE_TIMEOUT_MS: '-1',
}

export interface StartFigures {
  /** From nothing until the service is ready. */
  readonly readyMs: number
  /** CPU of the same, and of a start just before with one user. */
  readonly cpuMs: number
  readonly aloneCpuMs: number
  readonly total: number
}

/** A start with so many users in the file. */
export async function startWithUsers(count: number): Promise<StartFigures> {
  const node = await startNode()
  try {
    await node.stop()
    await node.start()
    const aloneCpuMs = cpuMsOf(node.service.process.pid)
    await node.stop()
    const db = new DatabaseSync(join(node.directory, databaseFileName), { timeout: 10_000 })
    db.exec(`insert into users (name, email, name_key, email_key)
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})
      select 'User ' || n, 'u' || n || '@example.org', 'user ' || n, 'u' || n || '@example.org'
      from numbers`)
    db.close()
    const readyMs = await node.start()
    const cpuMs = cpuMsOf(node.service.process.pid)
    const { body } = await node.caller.call('GET', '/users?limit=1', { headers: basic })
    return { readyMs, cpuMs, aloneCpuMs, total: body.total }
  } finally {
    await node.remove()
  }
}

/** Tells on standard output, among the lines of the log, how many modules each flush has written. */
const tellsOfFlushes = `import { readdirSync, writeSync } from 'node:fs'
  import module from 'node:module'
  const { flushCompileCache } = module
  const count = () => readdirSync(module.getCompileCacheDir()).length
  module.flushCompileCache = () => {
    const before = count()
    flushCompileCache()
    writeSync(1, 'written ' + (count() - before) + '\\n')
  }
  module.syncBuiltinESMExports()`

/** How many modules a first start, without a bundle, compiles and keeps before it is ready, and later. */
export async function modulesOfFirstStart(): Promise<{ before: number; later: number }> {
  const cache = mkdtempSync(join(tmpdir(), 'gatehouse-modules-'))
  const node = await startNode({
    entry: 'test/faults/from-sources.ts',
    flags: preloaded(tellsOfFlushes),
    env: { NODE_COMPILE_CACHE: cache },
  })
  try {
    const parts = () => node.service.output().split('"event":"sys_startup"')
    const written = (part = '') =>
      [...part.matchAll(/^written (\d+)$/gm)].map(([, count]) => Number(count))
    await waitUntil('the last flush', () => written(parts()[1]).length === 1)
    const [before = 0, later = 0] = parts().map((part) =>
      written(part).reduce((sum, count) => sum + count, 0),
    )
    return { before, later }
  } finally {
    await node.remove()
    rmSync(cache, { recursive: true })
  }
}

/** Tells on standard error, which the workers share, when each of them loads the service and when it has. */
const tellsOfLoading = `import cluster from 'node:cluster'
  import { writeSync } from 'node:fs'
  import module, { registerHooks } from 'node:module'
  const tell = (what) => cluster.isWorker && writeSync(2, what + ' ' + cluster.worker.id + '\\n')
  registerHooks({
    load(url, context, next) {
      if (/(?<!workers)[/]start[.][jt]s$/.test(url)) tell('loads')
      return next(url, context)
    },
  })
  const { flushCompileCache } = module
  let isFirst = true
  module.flushCompileCache = () => {
    flushCompileCache()
    if (isFirst) tell('has kept')
    isFirst = false
  }
  module.syncBuiltinESMExports()`

/** How two workers load the service, in the order of time. */
export async function loadingOfWorkers(): Promise<string[]> {
  const node = await startNode({ flags: preloaded(tellsOfLoading), env: { WORKERS: '2' } })
  try {
    return node.service.output().match(/^(?:loads|has kept) \d$/gm) ?? []
  } finally {
    await node.remove()
  }
}

const ticksASecond = 100 // USER_HZ, on every Linux

/** What a process has used of the CPU so far. proc(5), fields 14 and 15 of stat. */
function cpuMsOf(pid: number | undefined): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const [user, system] = fields.split(' ').slice(11, 13).map(Number)
  return ((user ?? 0) + (system ?? 0)) * (1000 / ticksASecond)
}
