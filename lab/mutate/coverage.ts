import { readFileSync, writeFileSync } from 'node:fs'
import type { Profiler } from 'node:inspector'
import { Session } from 'node:inspector'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Loaded before a test file: writes to `MUTATE_COVERAGE` which lines of src the process ran, as
 * `{ [path]: lines }`, lines from 1.
 */
const root = join(import.meta.dirname, '../..')
const { MUTATE_COVERAGE } = process.env
const session = new Session()
session.connect()
session.post('Profiler.enable')
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })

process.on('exit', () => {
  session.post('Profiler.takePreciseCoverage', (error, taken) => {
    if (error || MUTATE_COVERAGE === undefined) return
    const covered = taken.result.flatMap((script) => {
      const path = script.url.startsWith('file:') ? relative(root, fileURLToPath(script.url)) : ''
      const isOfService = path.startsWith('src/') && !path.endsWith('.test.ts')
      return isOfService ? [[path, linesOf(script)] as const] : []
    })
    writeFileSync(MUTATE_COVERAGE, JSON.stringify(Object.fromEntries(covered)))
  })
})

/** Types are blanked, not removed: the offsets of code that ran are offsets of the source. */
function linesOf({ url, functions }: Profiler.ScriptCoverage): number[] {
  const source = readFileSync(fileURLToPath(url), 'utf8')
  const counts = new Uint8Array(source.length)
  for (const { ranges } of functions) {
    // An inner range comes after the range that holds it.
    for (const { startOffset, endOffset, count } of ranges) {
      counts.fill(count > 0 ? 1 : 0, startOffset, endOffset)
    }
  }
  let start = 0
  return source.split('\n').flatMap((text, index) => {
    const isRun = counts.subarray(start, start + text.length).includes(1)
    start += text.length + 1
    return isRun && text.trim() !== '' ? [index + 1] : []
  })
}
