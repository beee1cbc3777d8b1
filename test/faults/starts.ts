import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { databaseFileName } from '../../src/database/sqlite/connect.ts'
import { basic, startNode } from './node.ts'
import { preloaded, tellsItsCpu, toldCpuMs } from './preload.ts'

export interface FailedStart {
  readonly code: number | null
  readonly output: string
  readonly milliseconds: number
  /** Of its CPU: what a loaded machine does not change. */
  readonly cpuMs: number
}

/** A start that is expected to fail, with nothing in its environment but what is given. */
export async function failedStart(env: Record<string, string>): Promise<FailedStart> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [...preloaded(tellsItsCpu), 'src/main.ts'], {
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
  return { code, output, milliseconds, cpuMs: toldCpuMs(output) }
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
    const db = new DatabaseSync(join(node.directory, databaseFileName))
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

const ticksASecond = 100 // USER_HZ, on every Linux

/** What a process has used of the CPU so far. proc(5), fields 14 and 15 of stat. */
function cpuMsOf(pid: number | undefined): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const [user, system] = fields.split(' ').slice(11, 13).map(Number)
  return ((user ?? 0) + (system ?? 0)) * (1000 / ticksASecond)
}
