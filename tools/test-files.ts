import { globSync, readFileSync, statSync } from 'node:fs'
import { join, normalize } from 'node:path'

const root = join(import.meta.dirname, '..')

export function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

/** Every test file of `npm test`; those of `npm run test:faults` need the machine alone. */
export function allFiles(): string[] {
  return globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: root })
    .filter((file) => !file.startsWith('test/faults/'))
    .toSorted()
}

/**
 * The first line of a file that `npm test` runs on every database, with the reason: a statement, a
 * transaction, a race, a count or an order may differ there. What other files ask is decided before or
 * beside what is stored, or by statements that these files run as well.
 */
export const databaseMatters = '// A database makes a difference: '

/**
 * Whether a file runs on a database. On PostgreSQL: if it starts the service or connects at all, and
 * says that the database makes a difference or the complete tests are meant.
 */
export function runsOn(
  database: 'sqlite' | 'postgres',
  file: string,
  { isComplete }: { readonly isComplete: boolean },
): boolean {
  if (database === 'sqlite') return true
  const source = read(file)
  if (!/\b(testApp|hostsApp|proxiedWorld|connectTo|nodeWith)\b/.test(source)) return false
  return isComplete || source.startsWith(databaseMatters)
}

/**
 * The files that are meant: each word is a file, a folder with test files, or part of a path or of the
 * name of a test, whatever its case. All files where there is no word.
 * @throws Error for a word that means none
 */
export function filesOf(words: readonly string[]): string[] {
  if (words.length === 0) return allFiles()
  return [...new Set(words.flatMap(filesOfWord))]
}

function filesOfWord(word: string): string[] {
  if (statSync(join(root, word), { throwIfNoEntry: false })?.isFile()) return [word]
  const within = allFiles().filter((file) => file.startsWith(normalize(`${word}/`)))
  if (within.length > 0) return within
  const wanted = word.toLowerCase()
  const found = allFiles().filter(
    (file) =>
      file.toLowerCase().includes(wanted) ||
      namesIn(read(file)).some((name) => name.toLowerCase().includes(wanted)),
  )
  if (found.length === 0) throw new Error(`no test file, path or test name holds ${word}`)
  return found
}

/** Names of tests and suites as the source has them; those of several texts in part. */
export function namesIn(source: string): string[] {
  const calls = source.matchAll(
    /\b(?:test|suite|sqliteOnly|postgresOnly|vectorsTest)\(\s*(?:\w+,\s*)?(['"`])((?:\\.|(?!\1)[^\\])*)\1/g,
  )
  return [...calls].map(([, , name = '']) => name)
}
