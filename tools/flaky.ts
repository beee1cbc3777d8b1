import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { failuresIn } from './failures.ts'

/**
 * `npm run flaky -- [--runs=10] [--load=2] [word...]`: runs `npm test` repeatedly with the other
 * arguments, while busy threads take a part of every core, and prints how often each test failed.
 */
const own = {
  runs: { type: 'string', default: '10' },
  /** Busy threads. */
  load: { type: 'string', default: String(availableParallelism()) },
} as const
const args = process.argv.slice(2)
const { values } = parseArgs({ args, options: own, strict: false, allowPositionals: true })
const given = args.filter((word) => !/^--(runs|load)(=|$)/.test(word))
const runs = countOf('runs', 1)
const load = countOf('load', 0)

const outputs = mkdtempSync(join(tmpdir(), 'gatehouse-flaky-'))
const busy = Array.from({ length: load }, () => new Worker('for (;;);', { eval: true }))
let running: ChildProcess | undefined
process.on('exit', () => running?.kill())
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => process.exit(1))
}
const failedIn = new Map<string, number[]>()
for (let run = 1; run <= runs; run += 1) {
  const { output, code } = await runTests()
  const failures = failuresIn(output, code)
  for (const failure of failures) {
    failedIn.set(failure, [...(failedIn.get(failure) ?? []), run])
  }
  if (failures.length > 0) writeFileSync(join(outputs, `run-${run}.txt`), output)
  process.stdout.write(`run ${run} of ${runs}: ${output.trimEnd().split('\n').at(-1)}\n`)
}
await Promise.all(busy.map((thread) => thread.terminate()))

for (const [failure, numbers] of [...failedIn].toSorted(([, a], [, b]) => b.length - a.length)) {
  process.stdout.write(`✖ failed in ${numbers.length} of ${runs} runs: ${failure}\n`)
}
if (failedIn.size === 0) {
  rmSync(outputs, { recursive: true })
  process.stdout.write(`✔ nothing failed in ${runs} runs\n`)
} else process.stdout.write(`outputs of the failed runs: ${outputs}\n`)
process.exitCode = failedIn.size === 0 ? 0 : 1

/** @throws Error if the option is no number from `min` */
function countOf(name: keyof typeof own, min: number): number {
  const count = Number(values[name])
  if (Number.isInteger(count) && count >= min) return count
  throw new Error(`--${name}=N: a number from ${min}`)
}

function runTests(): Promise<{ output: string; code: number | null }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'test.ts'), ...given], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running = child
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  return new Promise((resolve) => child.on('close', (code) => resolve({ output, code })))
}
