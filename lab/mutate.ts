import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { buildWebIfStale } from '../tools/build-web.ts'
import { keepFilesInMemory } from '../tools/test-folder.ts'
import { completeMap, readMap } from './mutate/map.ts'
import { type NumberedMutant, seedAll } from './mutate/seed.ts'
import { subjects } from './mutate/subjects.ts'

/**
 * `npm run mutate -- <subject> [--minutes=5] [word...]`: seeds small faults in the files of a subject
 * whose path contains a word, one at a time, and runs the tests that reach them until one fails.
 * Prints the faults that no test noticed, and the score: the part of the tried faults that were
 * noticed. The faults come in an order that is always the same.
 * `npm run mutate -- --map [word...]` measures which lines each test file runs; first, and after changes.
 */
const root = join(import.meta.dirname, '..')
/** Texts and shapes, which other tests compare whole. */
const withoutLogic =
  /(?:\.test|\/module|\/tables|\/reasons|\/settings|\/examples|\/events|\/schemas|\/problems|\/commands|\/services)\.ts$/

await buildWebIfStale()
keepFilesInMemory()
const words = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const minutes = Number(/--minutes=(\d+)/.exec(process.argv.join(' '))?.[1] ?? 5)
if (process.argv.includes('--map')) await completeMap(words)
else await mutate(words[0] ?? '', words.slice(1))

async function mutate(name: string, parts: readonly string[]): Promise<void> {
  const globs = subjects[name]
  if (globs === undefined) {
    throw new Error(`npm run mutate -- ${Object.keys(subjects).join(' | ')}`)
  }
  const map = readMap()
  if (Object.keys(map).length === 0) throw new Error('npm run mutate -- --map comes first')
  const paths = globSync([...globs], { cwd: root })
    .filter((path) => !withoutLogic.test(path))
    .filter((path) => parts.length === 0 || parts.some((part) => path.includes(part)))
    .toSorted()
  const lanes = availableParallelism()
  const { noticed, lived, all } = await seedAll({ name, paths, map, lanes, minutes })
  const tried = noticed.length + lived.length
  const score = ((100 * noticed.length) / tried).toFixed(1)
  const lines = lived.map(shown).toSorted()
  process.stdout.write(lines.map((line) => `lived: ${line}\n`).join(''))
  process.stdout.write(
    `${name}: ${score} %, ${noticed.length} of ${tried} faults noticed; ${all} in all\n`,
  )
}

function shown({ path, line, start, end, text, whole }: NumberedMutant): string {
  const source = readFileSync(join(root, path), 'utf8')
  const short = (code: string) => code.replaceAll(/\s+/g, ' ').slice(0, 80)
  const before = source.slice(Math.max(whole.start, start - 30), start)
  return `${path}:${line} ${short(before + source.slice(start, end))} -> ${short(before + text)}`
}
