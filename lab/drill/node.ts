import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type Service, startService } from '../../tools/service.ts'
import type { Target } from './load.ts'

export const admin = { username: 'admin', password: 'a pass phrase for proofs, 1887' }

/** The settings of every node of a drill: limits that count the one address of all callers are off. */
export const settings = {
  ADMIN_PASSWORD: admin.password,
  NODE_ENV: 'test',
  LOGIN_IP_ATTEMPTS: '0',
  LOGIN_ATTEMPTS: '0',
  LOGIN_LOCK_AFTER: '0',
  RATE_LIMIT_MAX: '0',
  DATABASE_TIMEOUT_MS: '10000',
}

export interface DrillNode extends Target {
  readonly service: Service
  readonly directory: string
}

export async function startNode(
  name: string,
  env: Record<string, string>,
  {
    root = join(import.meta.dirname, '../..'),
    directory = mkdtempSync(join(tmpdir(), 'gatehouse-drill-')),
  } = {},
): Promise<DrillNode> {
  const service = await startService(
    [process.execPath, 'src/main.ts'],
    { ...settings, ...env },
    directory,
    root,
  )
  const { port, protocol } = new URL(service.url)
  return { name, url: `${protocol}//127.0.0.1:${port}`, service, directory }
}

/**
 * Runs a command of the program in a folder, beside the load of this process.
 * @throws Error with what it has said if it fails
 */
export async function gatehouse(
  words: readonly string[],
  env: Record<string, string>,
  { root = join(import.meta.dirname, '../..'), input = '' } = {},
): Promise<string> {
  const child = spawn(process.execPath, ['src/cli/main.ts', ...words], {
    cwd: root,
    env: { ...process.env, ...settings, ...env },
  })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (part) => {
    stdout += part
  })
  child.stderr.setEncoding('utf8').on('data', (part) => {
    stderr += part
  })
  child.stdin.end(input)
  const code = await new Promise((resolve) => child.once('close', resolve))
  if (code !== 0) throw new Error(`gatehouse ${words.join(' ')}: ${stderr}${stdout}`)
  return stdout
}

export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 30_000
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`not in time: ${what}`)
    await setTimeout(50)
  }
}
