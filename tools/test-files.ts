import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** The first line of a file that `npm test` runs on both databases, with the reason. */
export const databaseMatters = '// A database makes a difference: '

/**
 * Returns the test files whose path contains one of the words, or all, the largest first.
 * `test/faults` is not part: its tests need the machine alone.
 * @throws Error for a word that no path contains
 */
export function filesOf(words: readonly string[]): string[] {
  const all = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: root })
    .filter((file) => !file.startsWith('test/faults/'))
    .toSorted((a, b) => bytesOf(b) - bytesOf(a))
  for (const word of words) {
    if (!all.some((file) => file.includes(word))) throw new Error(`no test file contains ${word}`)
  }
  return words.length === 0 ? all : all.filter((file) => words.some((word) => file.includes(word)))
}

/** Returns whether a file uses a database and says, or `isComplete` asks, that PostgreSQL counts. */
export function runsOnPostgres(file: string, isComplete: boolean): boolean {
  const source = readFileSync(join(root, file), 'utf8')
  if (!/\b(testApp|hostsApp|proxiedWorld|connectTo|nodeWith)\b/.test(source)) return false
  return isComplete || source.startsWith(databaseMatters)
}

export function bytesOf(file: string): number {
  return statSync(join(root, file)).size
}
