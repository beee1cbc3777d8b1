import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { documentMistakes } from './exceptions.ts'

/** What the tests of one process have met; tools/test-openapi.ts reads it after the last of them. */
export interface TestRecord {
  /** Operations with a status, `GET /users 200`. */
  readonly met: readonly string[]
  /** Entries of the list of known mistakes that a test has met. */
  readonly known: readonly string[]
}

const { TEST_OPENAPI: folder } = process.env
const met = new Set<string>()
const known = new Set<string>()

if (folder) {
  process.on('exit', () => {
    const record: TestRecord = { met: [...met], known: [...known] }
    writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify(record))
  })
}

/** Notes that a test has met an answer, `GET /users 200`. */
export function noteMet(answer: string): void {
  met.add(answer)
}

/** Whether a mistake stands in the list of those that are known. */
export function isKnown(mistake: string): boolean {
  const entry = documentMistakes.find((one) => matches(one, mistake))
  if (entry === undefined) return false
  known.add(entry)
  return true
}

/** An asterisk of an entry is any text. */
export function matches(entry: string, mistake: string): boolean {
  const escaped = entry.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')
  return new RegExp(`^${escaped}$`).test(mistake)
}
