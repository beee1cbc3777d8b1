import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { RunRequest, RunResult } from './test-process.ts'

const root = join(import.meta.dirname, '../..')
const maxBytes = 1_000_000_000 // node:test keeps all that the tests of a process made

/** Runs test files on SQLite, one after another in one process; a new one when that has ended. */
export class TestProcess {
  readonly #env: NodeJS.ProcessEnv
  #child: ChildProcess | undefined

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env
  }

  get isRunning(): boolean {
    return this.#child !== undefined
  }

  /** `ended`: the process ended, or took longer than `maxMs`. */
  async run(asked: RunRequest, maxMs: number): Promise<RunResult | 'ended'> {
    const child = this.#child ?? (await this.#start())
    if (child === undefined) return 'ended'
    const timer = setTimeout(() => killWithChildren(child), maxMs)
    child.send(asked)
    const answer = await answerOf(child)
    clearTimeout(timer)
    if (answer === 'ended' || answer.rss > maxBytes) this.end()
    return answer
  }

  end(): void {
    if (this.#child) killWithChildren(this.#child)
    this.#child = undefined
  }

  async #start(): Promise<ChildProcess | undefined> {
    const child = fork(join(import.meta.dirname, 'test-process.ts'), {
      cwd: root,
      detached: true, // a group of its own
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: { ...process.env, TEST_DATABASE: 'sqlite', ...this.#env },
      execArgv: [
        ...['--min-semi-space-size=16', '--max-semi-space-size=64'],
        `--test-reporter=${join(import.meta.dirname, 'reporter.ts')}`,
      ],
    })
    this.#child = child
    child.on('error', () => this.end()) // such as a message to a process that has ended
    child.on('exit', () => {
      if (this.#child === child) this.#child = undefined
    })
    const first = await answerOf(child, 'ready')
    if (first === 'ended') this.end()
    return this.#child
  }
}

/** A test may have started services. */
function killWithChildren({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {} // it has ended
}

async function answerOf(child: ChildProcess, until?: 'ready'): Promise<RunResult | 'ended'> {
  const end = new AbortController()
  const ended = once(child, 'exit', { signal: end.signal }).then(() => 'ended' as const)
  for (;;) {
    const message = once(child, 'message', { signal: end.signal })
    const got = await Promise.race([message, ended])
    if (got === 'ended' || got[0] !== 'ready' || until === 'ready') {
      end.abort()
      for (const promise of [ended, message]) promise.catch(() => {})
      return got === 'ended' ? got : got[0]
    }
  }
}
