import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { buildWebIfStale } from '../tools/build-web.ts'
import { keepFilesInMemory } from '../tools/test-folder.ts'
import { completeMap, readMap } from './mutate/map.ts'
import type { NumberedMutant } from './mutate/mutants.ts'
import { seedAll } from './mutate/seed.ts'
import { filesOfSubjects, subjects } from './mutate/subjects.ts'

/**
 * `npm run mutate -- <subject> [--minutes=5] [word...]`: seeds small faults in the files of a subject
 * whose path contains a word, one at a time, and runs the tests that reach them until one fails, on
 * SQLite and for some seconds of CPU time (`maxCpuMs`). Prints the faults that survived these tests,
 * and the score: the part of the tried faults that were killed. The faults come in an order that is
 * always the same.
 * `npm run mutate -- --map [word...]` measures which lines of the subjects each test file runs: first,
 * and again after a change of the tests or of a subject.
 */
const root = join(import.meta.dirname, '..')
await buildWebIfStale()
keepFilesInMemory()
const words = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const minutes = Number(/--minutes=([\d.]+)/.exec(process.argv.join(' '))?.[1] ?? 5)
if (process.argv.includes('--map')) await completeMap(words)
else await mutate(words[0] ?? '', words.slice(1))

async function mutate(name: string, parts: readonly string[]): Promise<void> {
  if (subjects[name] === undefined) {
    throw new Error(`npm run mutate -- ${Object.keys(subjects).join(' | ')}`)
  }
  const map = readMap()
  if (Object.keys(map).length === 0) throw new Error('npm run mutate -- --map comes first')
  const paths = filesOfSubjects([name]).filter(
    (path) => parts.length === 0 || parts.some((part) => path.includes(part)),
  )
  const lanes = availableParallelism()
  const { killed, survived, all } = await seedAll({ name, paths, map, lanes, minutes })
  const tried = killed.length + survived.length
  if (tried === 0) throw new Error('no fault was tried: --minutes')
  const score = ((100 * killed.length) / tried).toFixed(1)
  const lines = survived.map(shown).toSorted()
  process.stdout.write(lines.map((line) => `survived: ${line}\n`).join(''))
  process.stdout.write(
    `${name}: ${score} %, ${killed.length} of ${tried} faults killed; ${all} in all\n`,
  )
}

function shown({ path, line, start, end, text, whole }: NumberedMutant): string {
  const source = readFileSync(join(root, path), 'utf8')
  const short = (code: string) => code.replaceAll(/\s+/g, ' ').slice(0, 80)
  const before = source.slice(Math.max(whole.start, start - 30), start)
  return `${path}:${line} ${short(before + source.slice(start, end))} -> ${short(before + text)}`
}
