import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { documentMistakes, neverMet } from '../test/openapi/exceptions.ts'
import type { ApiDocument } from '../test/openapi/operations.ts'
import type { TestRecord } from '../test/openapi/record.ts'
import { read } from './test-files.ts'

/**
 * What the tests of all processes have met of docs/openapi.json, after a run of all files: each
 * documented answer must have come at least once, and each exception must still be one.
 */
export interface Met {
  /** The variable by which the processes know where to leave their records. */
  readonly env: NodeJS.ProcessEnv
  /** Lists what is wrong with the document or the exceptions, by the run; removes the records. */
  mistakes(): string[]
}

/** Makes the folder of the records of one run. */
export function recordMet(): Met {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-met-'))
  return {
    env: { TEST_OPENAPI: folder },
    mistakes() {
      const records = recordsIn(folder)
      rmSync(folder, { recursive: true })
      const document: ApiDocument = JSON.parse(read('docs/openapi.json'))
      return missed(records, document, { documentMistakes, neverMet })
    },
  }
}

/** Reads the records of all processes. */
export function recordsIn(folder: string): TestRecord[] {
  const files = globSync('*.json', { cwd: folder })
  return files.map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')))
}

export interface Exceptions {
  readonly documentMistakes: readonly string[]
  readonly neverMet: readonly string[]
}

/** One line each: a documented answer that never came, an exception that is none. */
export function missed(
  records: readonly TestRecord[],
  document: ApiDocument,
  exceptions: Exceptions,
): string[] {
  const met = new Set(records.flatMap((record) => record.met))
  const known = new Set(records.flatMap((record) => record.known))
  const documented = answersOf(document)
  const unmet = documented.filter((answer) => !met.has(answer))
  return [
    ...unmet
      .filter((answer) => !exceptions.neverMet.includes(answer))
      .map((answer) => `${answer} is documented, and no test meets it`),
    ...exceptions.neverMet
      .filter((answer) => !unmet.includes(answer))
      .map((answer) => `${answer} is ${whyNone(answer, met)}: remove it from neverMet`),
    ...exceptions.documentMistakes
      .filter((entry) => !known.has(entry))
      .map((entry) => `no test meets "${entry}": remove it from documentMistakes`),
  ]
}

function whyNone(answer: string, met: ReadonlySet<string>): string {
  return met.has(answer) ? 'met by a test' : 'not documented'
}

/** All operations with each of their statuses, `GET /users 200`. */
export function answersOf({ paths }: ApiDocument): string[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { responses }]) =>
      Object.keys(responses).map((status) => `${method.toUpperCase()} ${path} ${status}`),
    ),
  )
}

// The answers that the records in a folder lack, after runs of some files.
if (import.meta.main) {
  const [folder = ''] = process.argv.slice(2)
  const document: ApiDocument = JSON.parse(read('docs/openapi.json'))
  const lines = missed(recordsIn(folder), document, { documentMistakes, neverMet })
  process.stdout.write(lines.map((line) => `${line}\n`).join(''))
}
