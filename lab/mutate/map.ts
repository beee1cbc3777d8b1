import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { filesOf } from '../../tools/test-files.ts'
import { TestProcess } from './processes.ts'
import { filesOfSubjects, subjects } from './subjects.ts'
import type { RunLines } from './test-process.ts'

const root = join(import.meta.dirname, '../..')
const folder = join(root, 'node_modules/.cache/mutate')
const maxMs = 120_000
const digestOfSubjects = digestOf(filesOfSubjects(Object.keys(subjects)))

/** What a test file runs of src, and its CPU time. */
export interface MappedFile {
  readonly cpuMs: number
  readonly lines: RunLines
}

/** What was measured, if neither the test file nor a subject has changed since. */
export function readMap(): Record<string, MappedFile> {
  const files = filesOf([]).flatMap((file) => {
    const mapped = mappedFile(file)
    return mapped ? [[file, mapped] as const] : []
  })
  return Object.fromEntries(files)
}

/** Runs the test files that the map lacks; slow or failing files are left out. */
export async function completeMap(words: readonly string[]): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const queue = filesOf(words).filter((file) => mappedFile(file) === undefined)
  const lane = async () => {
    const tests = new TestProcess({})
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      // Modules that are already loaded would hide the lines that run at load time.
      if (file.startsWith('src/')) tests.end()
      const answer = await tests.run({ file, mutant: -1, isMeasured: true }, maxMs)
      const isMapped = answer !== 'ended' && answer.isPassed
      if (isMapped) {
        const mapped: MappedFile = { cpuMs: answer.cpuMs, lines: answer.lines }
        writeFileSync(placeOf(file), JSON.stringify(mapped))
      }
      process.stdout.write(`${isMapped ? '✔' : '✖'} ${file}\n`)
    }
    tests.end()
  }
  await Promise.all(Array.from({ length: availableParallelism() }, lane))
}

function mappedFile(file: string): MappedFile | undefined {
  try {
    return JSON.parse(readFileSync(placeOf(file), 'utf8'))
  } catch {
    return undefined
  }
}

/** Named after the content of the test file and of all subjects. */
function placeOf(file: string): string {
  const name = createHash('sha256').update(digestOfSubjects).update(file)
  return join(folder, `${name.update(readFileSync(join(root, file))).digest('hex')}.json`)
}

function digestOf(files: readonly string[]): string {
  const hash = createHash('sha256')
  for (const file of files) hash.update(file).update(readFileSync(join(root, file)))
  return hash.digest('hex')
}
