import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Which test files run, and which of them share a process: by the time that each took when measured. */
export const root = join(import.meta.dirname, '..')
export const databases = ['sqlite', 'postgres'] as const
export type Database = (typeof databases)[number]

export interface Batch {
  readonly database: Database
  readonly files: readonly string[]
  /** Expected. */
  readonly milliseconds: number
}

/** Milliseconds by database and file, of `npm test -- --measure`; files that take little are not in it. */
export type Times = { readonly [name in Database]?: Readonly<Record<string, number>> }

export const timesFile = join(root, 'test/times.json')

// To start a process costs a second; services of one process live beside each other, and each has
// connections.
const maxFiles = { sqlite: 14, postgres: 8 }
const batchMs = 8_000
// Of a file that was not measured.
const msPerKilobyte = 40

/**
 * The files that `words` name: a path, or a part of one; all of them where there is no word.
 * @throws Error where a word names none
 */
export function filesNamed(words: readonly string[]): string[] {
  const all = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: root }).sort()
  if (words.length === 0) return all.filter((file) => !isTimed(file))
  return [...new Set(words.flatMap((word) => filesOf(word, all)))]
}

/** Files whose path holds the word; else those that hold it in the name of a test. */
function filesOf(word: string, all: readonly string[]): string[] {
  if (all.includes(word)) return [word]
  const byPath = all.filter((file) => file.includes(word) && !isTimed(file))
  const found = byPath.length > 0 ? byPath : all.filter((file) => testNames(file).includes(word))
  if (found.length === 0) throw new Error(`no test file, and no test, is named ${word}`)
  return found
}

function testNames(file: string): string {
  const names = read(file).matchAll(/\b(?:suite|test)\(\s*(['"`])(.*?)\1/gs)
  return [...names].map(([, , name]) => name).join('\n')
}

/** What must be answered in time wants the machine for itself: `npm run test:faults`. */
function isTimed(file: string): boolean {
  return file.startsWith('test/faults/')
}

/** The longest first, so that those which end last are short. */
export function planBatches(wanted: readonly Database[], files: readonly string[]): Batch[] {
  const times = readTimes()
  return wanted
    .flatMap((database) => batchesOf(database, files, times[database] ?? {}))
    .sort((a, b) => b.milliseconds - a.milliseconds)
}

/** Files that neither start the service nor connect know no database, or SQLite's file. */
function batchesOf(
  database: Database,
  files: readonly string[],
  times: Readonly<Record<string, number>>,
): Batch[] {
  const own = files
    .filter((file) => database === 'sqlite' || /\b(testApp|connectTo)\b/.test(read(file)))
    .map((file) => ({ file, milliseconds: times[file] ?? estimateMs(file) }))
    .sort((a, b) => b.milliseconds - a.milliseconds)
  const total = own.reduce((sum, { milliseconds }) => sum + milliseconds, 0)
  const count = Math.ceil(Math.max(total / batchMs, own.length / maxFiles[database]))
  const batches = Array.from({ length: count }, () => ({
    database,
    files: [] as string[],
    milliseconds: 0,
  }))
  for (const { file, milliseconds } of own) {
    const open = batches.filter((batch) => batch.files.length < maxFiles[database])
    const lightest = open.reduce((a, b) => (b.milliseconds < a.milliseconds ? b : a))
    lightest.files.push(file)
    lightest.milliseconds += milliseconds
  }
  return batches
}

function readTimes(): Times {
  return JSON.parse(readFileSync(timesFile, 'utf8')) as Times // as `--measure` wrote it
}

function estimateMs(file: string): number {
  return (statSync(join(root, file)).size / 1024) * msPerKilobyte
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}
