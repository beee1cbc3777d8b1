import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { countNames } from './test-runner.ts'

export interface FileResult {
  readonly file: string
  readonly counts: Partial<Record<(typeof countNames)[number], number>>
  readonly ms: number
  /** All that was printed meanwhile. */
  readonly output: string
}

type Tell = (result: FileResult) => void

const root = join(import.meta.dirname, '..')
const afterAll = 'after the last file'

/** Options of Node. Much is made and thrown away: with room for it, a tenth of the work goes. */
export const memory = ['--min-semi-space-size=16', '--max-semi-space-size=64']

/**
 * Runs the tests of files, in their order, by as many processes as there are cores: one that is done
 * with a file takes the next. One that dies has failed in the file that it had, and another goes on.
 */
export async function runFiles(
  files: readonly string[],
  env: NodeJS.ProcessEnv,
  tell: Tell,
): Promise<void> {
  const queue = [...files]
  const work = async () => {
    while (queue.length > 0) await runWorker(queue, env, tell)
  }
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), files.length) }, work))
}

export function isPassed({ counts }: Pick<FileResult, 'counts'>): boolean {
  return counts.fail === 0
}

/** Resolves once the process has ended, with the queue or by itself (tools/test-worker.ts). */
function runWorker(queue: string[], env: NodeJS.ProcessEnv, tell: Tell): Promise<void> {
  const args = [...memory, join(root, 'tools/test-worker.ts')]
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: 'pipe' })
  let file = afterAll
  let startedAt = performance.now()
  let output = ''

  function begin() {
    const [first] = queue.splice(0, 1)
    if (first === undefined) return void child.stdin.end()
    file = first
    startedAt = performance.now()
    child.stdin.write(`${file}\n`)
  }
  function end(counts: FileResult['counts']) {
    tell({ file, counts, output, ms: Math.round(performance.now() - startedAt) })
    output = ''
    file = afterAll
  }

  child.stdin.on('error', () => {}) // it has died
  child.stderr.setEncoding('utf8').on('data', (part) => {
    output += part
  })
  child.stdout.setEncoding('utf8').on('data', (part) => {
    output += part
    const [, before, counts] = /^(.*)\0({.*})\n$/s.exec(output) ?? []
    if (before === undefined || counts === undefined) return
    output = before
    end(JSON.parse(counts))
    begin()
  })
  begin()
  return new Promise((resolve) => {
    child.on('close', (code) => {
      if (code !== 0 || file !== afterAll) end({ fail: 1 })
      resolve()
    })
  })
}
