import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { databaseFileName } from '../../src/database/connect.ts'
import { basic, startNode } from './node.ts'

export interface FailedStart {
  readonly code: number | null
  readonly output: string
  readonly milliseconds: number
}

/** A start that is expected to fail, with nothing in its environment but what is given. */
export async function failedStart(env: Record<string, string>): Promise<FailedStart> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, ['src/main.ts'], {
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
  return { code, output, milliseconds: performance.now() - startedAt }
}

/** Four settings that are wrong, each in a way of its own. */
export const wrongSettings = {
  PORT: 'many',
  NODE_ENV: 'staging',
  TOKEN_SECRET: 'short',
  DATABASE_TIMEOUT_MS: '-1',
}

/** Milliseconds from nothing until the service is ready, with so many users in the file. */
export async function startWithUsers(count: number): Promise<{ readyMs: number; total: number }> {
  const node = await startNode()
  try {
    await node.stop()
    const db = new DatabaseSync(join(node.directory, databaseFileName))
    db.exec(`insert into users (name, email, name_key, email_key)
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})
      select 'User ' || n, 'u' || n || '@example.org', 'user ' || n, 'u' || n || '@example.org'
      from numbers`)
    db.close()
    const readyMs = await node.start()
    const { body } = await node.caller.call('GET', '/users?limit=1', { headers: basic })
    return { readyMs, total: body.total }
  } finally {
    await node.remove()
  }
}
