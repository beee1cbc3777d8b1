import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { applied, type Mutant } from './mutants.ts'

/** Loaded before a test file: the service has the mutant of `MUTANT`, a `SeededMutant` as JSON. */
export type SeededMutant = Mutant & {
  /** From the root of the project. */
  readonly path: string
}

const seeded = JSON.parse(process.env.MUTANT ?? '') as SeededMutant // written by lab/mutate.ts
const url = pathToFileURL(join(import.meta.dirname, '../..', seeded.path)).href

registerHooks({
  load(asked, context, next) {
    const loaded = next(asked, context)
    if (asked !== url || loaded.source === undefined) return loaded
    return { ...loaded, source: applied(String(loaded.source), seeded) }
  },
})
