import { fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
// The results have arrived: a process whose exit hangs fails no test.
const exitMs = 30_000
const startMs = 60_000
// Tests make much garbage: larger semi-spaces save a tenth of the CPU time.
const memory = ['--min-semi-space-size=16', '--max-semi-space-size=64']

export interface Run {
  readonly files: readonly string[]
  readonly env: NodeJS.ProcessEnv
  /** Options of Node, such as `--test-name-pattern=x`. */
  readonly options: readonly string[]
  /** A file that takes longer hangs. */
  readonly fileMs: number
}

export interface Counts {
  passed: number
  /** Of each failed test: its database, place and name. */
  readonly failures: string[]
}

/**
 * Runs test files, in their order, by as many processes for each run as there are cores; when the
 * files of a run are done, its processes are replaced by others for the longest run. A process that
 * ends or hangs counts as a failure in the file that it had; a new one takes the other files.
 */
export async function runTests(runs: readonly Run[]): Promise<Counts> {
  const queues = runs.map((run) => ({ run, files: [...run.files] }))
  const counts: Counts = { passed: 0, failures: [] }
  const work = async (own: (typeof queues)[number]) => {
    while (own.files.length > 0) await runProcess(own.run, own.files, counts)
    const [longest] = queues.toSorted((a, b) => b.files.length - a.files.length)
    if (longest && longest.files.length > 0) await work(longest)
  }
  await Promise.all(
    queues.flatMap((queue) =>
      Array.from({ length: Math.min(availableParallelism(), queue.files.length) }, () =>
        work(queue),
      ),
    ),
  )
  return counts
}

/** Whether the process takes another file; false for a process that holds much memory. */
type Message = { readonly next: boolean } | Counts

function runProcess({ env, options, fileMs }: Run, queue: string[], counts: Counts): Promise<void> {
  const reporter = join(root, 'tools/test-reporter.ts')
  // Several patterns are alternatives; the results arrive with the last test of each file.
  const isPartial = options.some((option) => option.startsWith('--test-name-pattern'))
  const pattern = isPartial ? ['--test-name-pattern=^end of '] : []
  const child = fork(join(root, 'tools/test-process.ts'), {
    cwd: root,
    env,
    execArgv: [...memory, `--test-reporter=${reporter}`, ...options, ...pattern],
  })
  let file: string | undefined
  let isHung = false
  const killAfter = (ms: number) =>
    setTimeout(() => {
      isHung = true
      child.kill('SIGKILL')
    }, ms)
  let hang = killAfter(Math.max(fileMs, startMs))
  child.on('message', (message: Message) => {
    if ('next' in message) {
      clearTimeout(hang)
      file = message.next ? queue.shift() : undefined
      hang = killAfter(file === undefined ? exitMs : fileMs)
      if (child.connected) child.send(file ?? '')
    } else {
      counts.passed += message.passed
      counts.failures.push(...message.failures)
    }
  })
  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      clearTimeout(hang)
      if (file !== undefined || (code !== 0 && code !== 1 && !isHung)) {
        const how = isHung ? `was killed after ${fileMs / 1000} s` : 'ended'
        const where = `${env.TEST_DATABASE ?? 'both'}, ${file ?? 'after the last file'}`
        const failure = `${where}: the process ${how}, ${signal ?? `exit code ${code}`}`
        process.stdout.write(`✖ ${failure}\n`)
        counts.failures.push(failure)
      }
      resolve()
    })
  })
}
