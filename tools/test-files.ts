import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

export const suites = {
  all: ['src/**/*.test.ts', 'test/**/*.test.ts'],
  faults: ['test/faults/*.test.ts'],
  browser: ['test/browser/*.browser.ts', 'test/example-module/*.browser.ts'],
  console: ['test/console/*.browser.ts'],
}

/** The first line of a file that `npm test` runs on both databases, with the reason. */
export const databaseMatters = '// A database makes a difference: '

/**
 * Returns the test files whose path contains one of the words, or all, the largest first.
 * @throws Error for a word that no path contains
 */
export function filesOf(words: readonly string[], suite: keyof typeof suites = 'all'): string[] {
  const all = globSync(suites[suite], { cwd: root })
    .filter((file) => suite === 'faults' || !file.startsWith('test/faults/'))
    .toSorted((a, b) => bytesOf(b) - bytesOf(a))
  for (const word of words) {
    if (!all.some((file) => file.includes(word))) throw new Error(`no test file contains ${word}`)
  }
  return words.length === 0 ? all : all.filter((file) => words.some((word) => file.includes(word)))
}

/** Helpers that open a database for a test. */
const usesDatabase =
  /\b(testApp|providerApp|hostsApp|proxiedWorld|connectTo|ownDatabase|nodeWith|twoNodes|storedAudit|databaseWithAccounts|signUpDeps|twoProcesses|auditProofs)\b/

/** Returns whether a file uses a database and says, or `isComplete` asks, that PostgreSQL counts. */
export function runsOnPostgres(file: string, isComplete: boolean): boolean {
  const source = readFileSync(join(root, file), 'utf8')
  if (source.startsWith(databaseMatters)) return true
  return isComplete && (file.endsWith('.browser.ts') || usesDatabase.test(source))
}

export function bytesOf(file: string): number {
  return statSync(join(root, file)).size
}
