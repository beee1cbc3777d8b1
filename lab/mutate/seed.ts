import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MappedFile } from './map.ts'
import { type Mutant, mutantsOf } from './mutants.ts'
import { TestProcess } from './processes.ts'
import { type RankedFile, TestChoice } from './test-choice.ts'

const root = join(import.meta.dirname, '../..')
/** Faults noticed by one process before it runs a file without a fault, which must pass. */
const maxUnproved = 10
/** Files for a fault that only the start of a process reaches. */
const maxFreshFiles = 3

export interface NumberedMutant extends Mutant {
  /** As the processes number them: through all files, in their order. */
  readonly id: number
  /** From the root of the project. */
  readonly path: string
  /** From 1. */
  readonly line: number
  readonly lastLine: number
}

export interface Seeding {
  readonly name: string
  readonly paths: readonly string[]
  readonly map: Readonly<Record<string, MappedFile>>
  readonly lanes: number
  readonly minutes: number
}

export interface Seeded {
  readonly noticed: NumberedMutant[]
  readonly lived: NumberedMutant[]
  /** How many there are. */
  readonly all: number
}

/** Tries as many faults as the time allows. */
export async function seedAll(seeding: Seeding): Promise<Seeded> {
  const queue = numbered(seeding.paths).toSorted((a, b) => (rankOf(a) < rankOf(b) ? -1 : 1))
  const seeded: Seeded = { noticed: [], lived: [], all: queue.length }
  const choice = new TestChoice(seeding.map, seeding.name)
  const endsAt = performance.now() + seeding.minutes * 60_000
  await Promise.all(
    Array.from({ length: seeding.lanes }, () =>
      seedQueue(seeding.paths, { seeded, choice }, () =>
        performance.now() < endsAt ? queue.shift() : undefined,
      ),
    ),
  )
  return seeded
}

interface Noticed {
  readonly mutant: NumberedMutant
  readonly file: RankedFile
}

/** Tries one fault after another in a process that keeps its modules. */
async function seedQueue(
  paths: readonly string[],
  { seeded, choice }: { readonly seeded: Seeded; readonly choice: TestChoice },
  next: () => NumberedMutant | undefined,
): Promise<void> {
  const env = { MUTATED: JSON.stringify(paths) }
  const tests = new TestProcess(env)
  let unproved: Noticed[] = []

  for (let mutant = next(); mutant !== undefined; mutant = next()) {
    const files = choice.of(mutant)
    if (!tests.isRunning) await run(tests, choice.first, -1)
    let result: 'lived' | 'noticed' | 'not reached' = 'not reached'
    for (const file of files) {
      const answer = await run(tests, file, mutant.id)
      if (answer === 'ended') {
        seeded.noticed.push(mutant)
        await seedAfresh()
      } else if (!answer.isPassed) {
        unproved.push({ mutant, file })
        choice.noticed(mutant, file.file)
      } else {
        if (answer.isReached) result = 'lived'
        continue
      }
      result = 'noticed'
      break
    }
    if (result === 'lived') seeded.lived.push(mutant)
    if (result === 'not reached') await seedInNewProcess(mutant, files.slice(0, maxFreshFiles))
    if (unproved.length >= maxUnproved) await prove()
  }
  await prove()
  tests.end()

  /** A fault may break the process for those after it: only then does a file without a fault fail. */
  async function prove(): Promise<void> {
    const last = unproved.at(-1)
    if (last === undefined) return
    const answer = await run(tests, last.file, -1)
    if (answer === 'ended' || !answer.isPassed) await seedAfresh()
    else seeded.noticed.push(...unproved.map(({ mutant }) => mutant))
    unproved = []
  }

  async function seedAfresh(): Promise<void> {
    tests.end()
    const again = unproved
    unproved = []
    for (const { mutant, file } of again) await seedInNewProcess(mutant, [file])
  }

  async function seedInNewProcess(mutant: NumberedMutant, files: readonly RankedFile[]) {
    const fresh = new TestProcess({ ...env, MUTANT: String(mutant.id) })
    let isNoticed = false
    for (const file of files) {
      const answer = await run(fresh, file, mutant.id)
      isNoticed = answer === 'ended' || !answer.isPassed
      if (isNoticed) break
    }
    fresh.end()
    seeded[isNoticed ? 'noticed' : 'lived'].push(mutant)
  }
}

/** A fault that makes a file hang is noticed. */
function run(tests: TestProcess, { file, cpuMs }: RankedFile, mutant: number) {
  return tests.run({ file, mutant, isMeasured: false }, 20_000 + 10 * cpuMs)
}

function numbered(paths: readonly string[]): NumberedMutant[] {
  const all = paths.flatMap((path) => {
    const source = readFileSync(join(root, path), 'utf8')
    return mutantsOf(source).map((mutant) => {
      const lineAt = (offset: number) => source.slice(0, offset).split('\n').length
      return { ...mutant, path, line: lineAt(mutant.start), lastLine: lineAt(mutant.end) }
    })
  })
  return all.map((mutant, id) => ({ ...mutant, id }))
}

/** The same order in every run. */
function rankOf({ path, start, end, text }: NumberedMutant): string {
  return createHash('sha256').update(`${path} ${start} ${end} ${text}`).digest('hex')
}
