import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ApiDocument } from './operations.ts'

const { TEST_OPENAPI: folder } = process.env
const met = new Set<string>()

if (folder) {
  process.on('exit', () =>
    writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify([...met])),
  )
}

/** Notes that a test has met an answer, `GET /users 200`. */
export function noteMet(answer: string): void {
  met.add(answer)
}

/** Makes the folder in which the processes of a run write what they met, named by `env`. */
export function recordMet(): { env: NodeJS.ProcessEnv; unmet(document: ApiDocument): string[] } {
  const made = mkdtempSync(join(tmpdir(), 'gatehouse-met-'))
  return {
    env: { TEST_OPENAPI: made },
    /** Returns the documented answers that no test met; removes the folder. */
    unmet(document) {
      const records = globSync('*.json', { cwd: made }).map((file): string[] =>
        JSON.parse(readFileSync(join(made, file), 'utf8')),
      )
      rmSync(made, { recursive: true })
      return missed(records, document)
    },
  }
}

/** Returns the documented answers that stand in no record. */
export function missed(records: readonly string[][], document: ApiDocument): string[] {
  const all = new Set(records.flat())
  return answersOf(document).filter((answer) => !all.has(answer))
}

/** All operations with each of their statuses, `GET /users 200`. */
export function answersOf({ paths }: ApiDocument): string[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { responses }]) =>
      Object.keys(responses).map((status) => `${method.toUpperCase()} ${path} ${status}`),
    ),
  )
}
