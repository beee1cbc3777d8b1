import { spawn } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
const reporter = join(import.meta.dirname, 'first-failure.ts')

interface TestRun {
  readonly isPassed: boolean
  readonly ms: number
}

/** Runs a test file on SQLite in a process of its own, with a module loaded before it. */
export function runTestFile(
  file: string,
  { before, env, maxMs }: { before: string; env: NodeJS.ProcessEnv; maxMs: number },
): Promise<TestRun> {
  const startedAt = performance.now()
  const options = ['--import', join(root, 'lab', before), `--test-reporter=${reporter}`]
  const child = spawn(process.execPath, [...options, file], {
    cwd: root,
    stdio: 'ignore',
    env: { ...process.env, TEST_DATABASE: 'sqlite', ...env },
    timeout: maxMs,
    killSignal: 'SIGKILL',
  })
  return new Promise((resolve) => {
    child.on('close', (code) => {
      resolve({ isPassed: code === 0, ms: performance.now() - startedAt })
    })
  })
}

/** Does the work of a queue, `lanes` items at once. */
export async function inParallel<T>(queue: T[], lanes: number, work: (item: T) => Promise<void>) {
  const lane = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}
