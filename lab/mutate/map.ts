import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { filesOf } from '../../tools/test-files.ts'
import { inParallel, runTestFile } from './test-runs.ts'

const root = join(import.meta.dirname, '../..')
const folder = join(root, 'node_modules/.cache/mutate')
const maxMs = 120_000

/** What a test file runs of src, and how long it takes. */
export interface MappedFile {
  /** Of the content of the test file. */
  readonly digest: string
  readonly ms: number
  /** By path; from 1. */
  readonly lines: Readonly<Record<string, readonly number[]>>
}

type TestMap = Record<string, MappedFile>

/** The map as it was made last, without files that have changed since. */
export function readMap(): TestMap {
  let map: TestMap
  try {
    map = JSON.parse(readFileSync(join(folder, 'map.json'), 'utf8'))
  } catch {
    return {}
  }
  const entries = Object.entries(map).filter(([file, { digest }]) => digest === digestOf(file))
  return Object.fromEntries(entries)
}

/** Runs the test files that the map lacks, once each; slow or failing files are left out. */
export async function completeMap(words: readonly string[]): Promise<TestMap> {
  mkdirSync(folder, { recursive: true })
  const map = readMap()
  const queue = filesOf(words).filter((file) => map[file] === undefined)
  await inParallel(queue, availableParallelism(), async (file) => {
    const output = join(folder, `${digestOf(file)}.json`)
    const env = { MUTATE_COVERAGE: output }
    const { isPassed, ms } = await runTestFile(file, { before: 'mutate/coverage.ts', env, maxMs })
    if (isPassed) {
      const lines = JSON.parse(readFileSync(output, 'utf8'))
      map[file] = { digest: digestOf(file), ms: Math.round(ms), lines }
      writeFileSync(join(folder, 'map.json'), JSON.stringify(map))
    }
    rmSync(output, { force: true })
    process.stdout.write(`${isPassed ? '✔' : '✖'} ${(ms / 1000).toFixed(1)} s: ${file}\n`)
  })
  return map
}

function digestOf(file: string): string {
  try {
    return createHash('sha256')
      .update(readFileSync(join(root, file)))
      .digest('hex')
      .slice(0, 24)
  } catch {
    return ''
  }
}
