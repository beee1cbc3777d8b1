import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Service {
  readonly url: string
  readonly process: ChildProcess
  readonly dataDirectory: string
  /** The output so far; its end, if it is very long. */
  output(): string
  /** Sends SIGTERM; resolves to the exit code when the process has ended. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
  /** Removes the data directory. */
  remove(): void
}

/** Characters; a string of V8 has at most 2 ** 29. */
const maxOutput = 2 ** 27

/** Starts the service as a process on a free loopback port and waits until it is ready. */
export async function startService(
  command: readonly [string, ...string[]],
  env: Record<string, string> = {},
  dataDirectory = mkdtempSync(join(tmpdir(), 'gatehouse-')),
  cwd = join(import.meta.dirname, '..'),
  patienceMs = 45_000,
): Promise<Service> {
  const [program, ...args] = command
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, DATA_DIR: dataDirectory, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // A test that fails before it stops its service must neither block the runner nor leave a
  // process.
  child.unref()
  for (const stream of [child.stdout, child.stderr]) (stream as Socket).unref()
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.on('exit', () => process.off('exit', kill))
  let output = ''
  const keep = (chunk: Buffer) => {
    output += chunk
    if (output.length > maxOutput) output = output.slice(-maxOutput / 2)
  }
  const exited = new Promise<number | null>((resolve) => child.on('exit', (code) => resolve(code)))
  const url = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`not ready:\n${output}`)), patienceMs)
    const look = () => {
      const [, address] = /"event":"sys_startup","address":"([^"]+)"/.exec(output) ?? []
      if (!address) return
      clearTimeout(timer)
      for (const stream of [child.stdout, child.stderr]) stream.off('data', look)
      resolve(address)
    }
    for (const stream of [child.stdout, child.stderr]) stream.on('data', keep).on('data', look)
    void exited.then((code) => {
      clearTimeout(timer)
      reject(new Error(`exit ${code} before it was ready:\n${output}`))
    })
  })
  return {
    url,
    process: child,
    dataDirectory,
    output: () => output,
    stop: (signal = 'SIGTERM') => {
      child.ref()
      child.kill(signal)
      return exited
    },
    remove: () => rmSync(dataDirectory, { recursive: true, force: true }),
  }
}

/** Asserts that the first administrator can log in to a new service, and is its only user. */
export async function assertServes({ url }: Pick<Service, 'url'>, password: string): Promise<void> {
  const login = await fetch(`${url}/login`, {
    method: 'POST',
    body: new URLSearchParams({ username: 'admin', password, mode: 'token' }),
  })
  assert.equal(login.status, 200)
  const { token } = (await login.json()) as { token: string } // what the contract says
  const users = await fetch(`${url}/users`, { headers: { authorization: `Bearer ${token}` } })
  assert.deepEqual([users.status, ((await users.json()) as unknown[]).length], [200, 1])
}
