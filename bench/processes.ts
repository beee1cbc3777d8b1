import { type ChildProcess, fork, type Serializable, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../tools/free-port.ts'

/** A process of its own, so that the measured code shares no thread with the measuring code. */
export interface Child {
  readonly pid: number
  readonly url: string
  stop(): Promise<void>
}

export interface Settings {
  readonly [name: string]: string
}

const root = join(import.meta.dirname, '..')
// The command of `npm start`: its settings, node, its options and the file.
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const [startSettings = '', startCommand = ''] = scripts.start.split(/(?:exec )?node (.*)/)
const startArguments: string[] = startCommand.split(' ')
const startEnvironment = Object.fromEntries(
  startSettings
    .split(' ')
    .filter((word: string) => word.includes('='))
    .map((word: string) => word.split('=')),
)
const startMs = 20_000
const pollMs = 50
const alive = new Set<ChildProcess>()

process.on('exit', () => {
  for (const child of alive) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

/** Starts the service as `npm start` does, on a free loopback port. */
export async function startService(
  settings: Settings,
  nodeOptions: readonly string[] = [],
): Promise<Child> {
  const port = await freePort()
  const child = spawn(process.execPath, [...nodeOptions, ...startArguments], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      ...startEnvironment,
      LOG_LEVEL: 'warn',
      PORT: String(port),
      ...settings,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const started = known(child)
  const url = `http://127.0.0.1:${port}`
  await untilReady(`${url}/health/ready`, child)
  return { ...started, url }
}

/** Starts a peer of this folder; it sends its port, or null, when it is ready. */
export async function startPeer(
  file: string,
  input: Serializable,
): Promise<Child & { ask(question: Serializable): Promise<unknown> }> {
  const child = fork(join(import.meta.dirname, file), { execArgv: [] })
  const started = known(child)
  const ask = async (question: Serializable) => {
    child.send(question)
    const [answer] = await once(child, 'message')
    return answer
  }
  const port = await ask(input)
  return { ...started, url: `http://127.0.0.1:${port}`, ask }
}

export type Meter = (measure: () => Promise<number>) => Promise<number>

/**
 * Measures the processor time of the server per request. If the load generator is slower than the
 * bare server, a comparison of rates favours the service; this one does not.
 */
export function meter({ pid }: Pick<Child, 'pid'>): { count: Meter; microseconds: () => number } {
  let milliseconds = 0
  let requests = 0
  return {
    count: async (measure) => {
      const [spentBefore, startedAt] = [processorMs(pid), performance.now()]
      const rate = await measure()
      milliseconds += processorMs(pid) - spentBefore
      requests += (rate * (performance.now() - startedAt)) / 1000
      return rate
    },
    microseconds: () => (milliseconds * 1000) / requests,
  }
}

/** Processor time that a process has used so far, all threads, in milliseconds. */
export function processorMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The fields after the name in parentheses; user and system time in ticks of 10 ms. proc(5).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** Resident memory of a process in megabytes (10^6 bytes): now, and its maximum so far. */
export function residentMegabytes(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const read = (name: string) => {
    const kibibytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]
    if (kibibytes === undefined) throw new Error(`no ${name}: memory is measured on Linux only`)
    return (Number(kibibytes) * 1024) / 1e6
  }
  return { now: read('VmRSS'), peak: read('VmHWM') }
}

/** Reads a process's memory ten times a second while `work` runs; answers the maximum. */
export async function watchMemory(pid: number, work: () => Promise<unknown>): Promise<number> {
  let most = residentMegabytes(pid).now
  const timer = setInterval(() => {
    most = Math.max(most, residentMegabytes(pid).now)
  }, 100)
  try {
    await work()
  } finally {
    clearInterval(timer)
  }
  return Math.max(most, residentMegabytes(pid).now)
}

function known(child: ChildProcess): Omit<Child, 'url'> {
  if (child.pid === undefined) throw new Error('the process did not start')
  alive.add(child)
  const exited = once(child, 'exit').then(() => alive.delete(child))
  return {
    pid: child.pid,
    stop: async () => {
      child.kill('SIGTERM')
      await exited
    },
  }
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  for (let waitedMs = 0; waitedMs < startMs; waitedMs += pollMs) {
    if (child.exitCode !== null) throw new Error('the service did not start')
    const answer = await fetch(url).catch(() => null)
    if (answer?.ok) return
    await wait(pollMs)
  }
  throw new Error(`the service was not ready within ${startMs} ms`)
}
