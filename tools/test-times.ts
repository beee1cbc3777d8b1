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
