import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { keepFilesInMemory } from '../tools/test-folder.ts'
import { completeMap, type MappedFile, readMap } from './mutate/map.ts'
import { mutantsOf } from './mutate/mutants.ts'
import type { SeededMutant } from './mutate/seeded.ts'
import { inParallel, runTestFile } from './mutate/test-runs.ts'

/**
 * `npm run mutate -- <module> [--minutes=5]`: seeds small faults in a module one at a time, and runs
 * the tests of its subject until one fails. Prints the faults that no test noticed, and the score: the
 * part of the tried faults that were noticed. The faults come in an order that is always the same.
 * `npm run mutate -- --map [word...]` measures which lines each test file runs; first, and after changes.
 */
const root = join(import.meta.dirname, '..')
/** Test files for a fault: the most specific ones that run its line. */
const maxFiles = 8
/** Texts and shapes, which other tests compare whole. */
const withoutLogic =
  /(?:\.test|\/module|\/tables|\/reasons|\/settings|\/examples|\/events|\/schemas|\/problems|\/commands|\/services)\.ts$/

keepFilesInMemory()
const words = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const minutes = Number(/--minutes=(\d+)/.exec(process.argv.join(' '))?.[1] ?? 5)
if (process.argv.includes('--map')) await completeMap(words)
else await mutate(words[0] ?? '')

async function mutate(name: string): Promise<void> {
  const paths = globSync([`src/**/${name}/**/*.ts`, `src/**/${name}.ts`], { cwd: root })
    .filter((path) => !withoutLogic.test(path))
    .toSorted()
  if (name === '' || paths.length === 0) throw new Error('npm run mutate -- <module>')
  const map = Object.entries(readMap())
  if (map.length === 0) throw new Error('npm run mutate -- --map comes first')
  const all = paths.flatMap((path) =>
    mutantsOf(readFileSync(join(root, path), 'utf8')).map((mutant) => ({ ...mutant, path })),
  )
  const queue = all.toSorted((a, b) => (rankOf(a) < rankOf(b) ? -1 : 1))
  const endsAt = performance.now() + minutes * 60_000
  const [lived, tried]: [string[], string[]] = [[], []]
  await inParallel(queue, availableParallelism(), async (mutant) => {
    if (performance.now() > endsAt) return
    const isNoticed = await notice(mutant, testsOf(mutant, map, name))
    tried.push(mutant.path)
    if (!isNoticed) lived.push(shown(mutant))
  })
  const noticed = tried.length - lived.length
  const score = ((100 * noticed) / tried.length).toFixed(1)
  const lines = lived.toSorted()
  process.stdout.write(`${lines.map((line) => `lived: ${line}\n`).join('')}`)
  process.stdout.write(
    `${name}: ${score} %, ${noticed} of ${tried.length} faults noticed; ${all.length} in all\n`,
  )
}

/** The same order in every run. */
function rankOf({ path, start, end, text }: SeededMutant): string {
  return createHash('sha256').update(`${path} ${start} ${end} ${text}`).digest('hex')
}

/** Test files of the module first, then files that run little else, fast files before slow files. */
function testsOf({ path, line }: SeededMutant, map: [string, MappedFile][], name: string) {
  const covering = map.filter(([, { lines }]) => lines[path]?.includes(line))
  const isOwn = (file: string) => file.includes(name) || file === path.replace(/\.ts$/, '.test.ts')
  const rank = ([file, { lines, ms }]: [string, MappedFile]) =>
    ms * Object.keys(lines).length * (isOwn(file) ? 0.01 : 1)
  return covering.toSorted((a, b) => rank(a) - rank(b)).slice(0, maxFiles)
}

async function notice(mutant: SeededMutant, tests: [string, MappedFile][]): Promise<boolean> {
  for (const [file, { ms }] of tests) {
    const env = { MUTANT: JSON.stringify(mutant) }
    const maxMs = 15_000 + 5 * ms // a fault that hangs is noticed
    const { isPassed } = await runTestFile(file, { before: 'mutate/seeded.ts', env, maxMs })
    if (!isPassed) return true
  }
  return false
}

function shown({ path, line, start, end, text }: SeededMutant): string {
  const source = readFileSync(join(root, path), 'utf8')
  const short = (code: string) => code.replaceAll(/\s+/g, ' ').slice(0, 70)
  return `${path}:${line} ${short(source.slice(start, end))} -> ${short(text)}`
}
