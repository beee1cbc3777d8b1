import { globSync } from 'node:fs'
import { join } from 'node:path'

/** What `npm run mutate -- <name>` changes: files of src. The name also finds the tests of a subject. */
export const subjects: Readonly<Record<string, readonly string[]>> = {
  requirements: ['src/modules/authentication/*.ts'],
  policy: ['src/core/policy/*.ts', 'src/core/http/routes/access.ts'],
  tokens: ['src/modules/tokens/*.ts'],
  sessions: ['src/modules/sessions/*.ts'],
  throttle: ['src/modules/throttle/*.ts'],
  factors: ['src/modules/factors/*.ts', 'src/modules/totp/*.ts'],
  keys: ['src/modules/keys/*.ts'],
  audit: ['src/modules/audit/**/*.ts'],
  'forward-auth': ['src/extras/forward-auth/*.ts'],
  queue: ['src/core/queue/*.ts', 'src/core/queues/*.ts', 'src/extras/{mail,webhooks}/queue.ts'],
  confirmations: ['src/core/database/confirmations.ts', 'src/extras/one-time-tokens/*.ts'],
  flows: ['src/modules/flows/*.ts', 'src/modules/proofs/*.ts'],
  'sign-up': ['src/extras/sign-up/*.ts'],
}

const root = join(import.meta.dirname, '../..')
/** Declarations and wiring. */
const withoutLogic =
  /(?:\.test|\/module|\/tables|\/reasons|\/settings|\/examples|\/events|\/schemas|\/problems|\/commands|\/services)\.ts$/

/** Paths from the root of the project, sorted. */
export function filesOfSubjects(names: readonly string[]): string[] {
  const globs = names.flatMap((name) => subjects[name] ?? [])
  return globSync(globs, { cwd: root })
    .filter((path) => !withoutLogic.test(path))
    .toSorted()
}
