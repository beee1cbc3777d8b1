import { type ChildProcess, fork, type Serializable, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../../tools/free-port.ts'

/** A process of its own, so that the measured code shares no thread with the measuring code. */
export interface Child {
  readonly pid: number
  readonly url: string
  stop(): Promise<void>
}

export interface Settings {
  readonly [name: string]: string
}

const root = join(import.meta.dirname, '../..')
// The command of `npm start`: its settings, node, its options and the file.
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const [startSettings = '', startOptions = ''] = scripts.start.split(/(?:exec )?node (.*)/)
const startEnvironment: Record<string, string> = Object.fromEntries(
  startSettings
    .split(' ')
    .filter((word: string) => word.includes('='))
    .map((word: string) => word.split('=')),
)
/** The arguments of node and its environment, as `npm start` gives them. */
export const startCommand = {
  command: startOptions.split(' ') as readonly string[],
  environment: startEnvironment,
}
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
  const child = spawn(process.execPath, [...nodeOptions, ...startCommand.command], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      ...startCommand.environment,
      LOG_LEVEL: 'warn',
      PORT: String(port),
      ...settings,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const started = known(child)
  const url = `http://127.0.0.1:${port}`
  await untilAnswers(`${url}/health/ready`, child)
  return { ...started, url }
}

/** A file of this folder as a process of its own. */
export interface Peer extends Child {
  /** What it sent when it was ready. */
  readonly ready: Ready
  ask(question: Serializable): Promise<unknown>
}

export interface Ready {
  readonly port?: number
  /** Headers with which its requests are authenticated, by name. */
  readonly headers?: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** Starts a file of this folder. With an input it is ready when it has answered that. */
export async function startPeer(file: string, input?: Serializable): Promise<Peer> {
  const child = fork(join(import.meta.dirname, file), {
    execArgv: [],
    serialization: 'advanced',
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const started = known(child)
  const ask = async (question: Serializable) => {
    child.send(question)
    const ended = new AbortController()
    const answer = once(child, 'message', ended).then(([message]) => message)
    const exit = once(child, 'exit', ended).then(([code]) => {
      throw new Error(`${file} ended: ${code}`)
    })
    try {
      return await Promise.race([answer, exit])
    } finally {
      ended.abort()
      void answer.catch(() => {})
      void exit.catch(() => {})
    }
  }
  const ready = (input === undefined ? {} : await ask(input)) as Ready // as its file sends it
  return { ...started, url: `http://127.0.0.1:${ready.port}`, ready, ask }
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

/** Takes a started process into the list of those that end with this one. */
export function known(child: ChildProcess): Omit<Child, 'url'> {
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

/** Waits until a GET is answered with success. @throws Error if the process ends before */
export async function untilAnswers(url: string, child: ChildProcess): Promise<void> {
  for (let waitedMs = 0; waitedMs < startMs; waitedMs += pollMs) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} did not start`)
    const answer = await fetch(url).catch(() => null)
    if (answer?.ok) return
    await wait(pollMs)
  }
  throw new Error(`${child.spawnfile} was not ready within ${startMs} ms`)
}
