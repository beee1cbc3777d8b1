import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Milliseconds that files took when they were last measured, by database. */
export type Times = Record<string, Record<string, number>>

const root = join(import.meta.dirname, '..')
const cache = join(root, 'node_modules/.cache/gatehouse-tests/times.json')
/** What a byte of a file takes that was never measured, about. */
const msPerByte = 0.1

export function loadTimes(): Times {
  try {
    return JSON.parse(readFileSync(cache, 'utf8')) // as saveTimes wrote it
  } catch {
    return {} // the first run, or a file that was cut off
  }
}

/** Keeps what was measured beside what is known of other files. */
export function saveTimes(measured: Times): void {
  const known = loadTimes()
  for (const [database, files] of Object.entries(measured)) {
    known[database] = { ...known[database], ...files }
  }
  mkdirSync(dirname(cache), { recursive: true })
  writeFileSync(`${cache}.new`, JSON.stringify(known))
  renameSync(`${cache}.new`, cache) // two runs at once leave a whole file
}

/** What a file will take, in milliseconds. */
export function weightOf(file: string, times: Readonly<Record<string, number>> = {}): number {
  return times[file] ?? statSync(join(root, file)).size * msPerByte
}

/**
 * Shares files out among so many batches that take the same time, as far as that goes: the longest
 * first, each to the batch that has the least so far.
 */
export function balance(
  files: readonly string[],
  count: number,
  weight: (file: string) => number,
): string[][] {
  const batches = Array.from({ length: Math.min(count, files.length) }, () => ({
    files: [] as string[],
    total: 0,
  }))
  for (const file of files.toSorted((a, b) => weight(b) - weight(a))) {
    const least = batches.reduce((a, b) => (b.total < a.total ? b : a))
    least.files.push(file)
    least.total += weight(file)
  }
  return batches.map((batch) => batch.files)
}

/** From the lines of tools/test-times.ts; the files of a process share the time of its start. */
export function timesOf(
  lines: string,
  files: readonly string[],
  totalMs: number,
): Record<string, number> {
  const own = new Map(files.map((file) => [file, 0]))
  for (const line of lines.split('\n')) {
    const [milliseconds, file = ''] = line.split('\t')
    if (own.has(file)) own.set(file, (own.get(file) ?? 0) + Number(milliseconds))
  }
  const sum = [...own.values()].reduce((total, each) => total + each, 0)
  const share = Math.max(0, totalMs - sum) / files.length
  return Object.fromEntries([...own].map(([file, each]) => [file, Math.round(each + share)]))
}
