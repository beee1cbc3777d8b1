import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MappedFile } from './map.ts'
import { mutantsOf, type NumberedMutant } from './mutants.ts'
import { TestProcess } from './processes.ts'
import { type RankedFile, TestChoice } from './test-choice.ts'
import type { RunResult } from './test-process.ts'

const root = join(import.meta.dirname, '../..')
/** Faults killed by one process before their test files run without a fault and must pass. */
const maxUnproved = 10
/** Files for a fault that only the start of a process reaches. */
const maxFreshFiles = 3

export interface Seeding {
  readonly name: string
  readonly paths: readonly string[]
  readonly map: Readonly<Record<string, MappedFile>>
  readonly lanes: number
  readonly minutes: number
}

export interface Seeded {
  readonly killed: NumberedMutant[]
  readonly survived: NumberedMutant[]
  /** How many there are. */
  readonly all: number
}

/** Tries as many faults as the time allows. */
export async function seedAll(seeding: Seeding): Promise<Seeded> {
  const queue = numbered(seeding.paths).toSorted((a, b) => (rankOf(a) < rankOf(b) ? -1 : 1))
  const seeded: Seeded = { killed: [], survived: [], all: queue.length }
  const choice = new TestChoice(seeding.map, seeding.name)
  const endsAt = performance.now() + seeding.minutes * 60_000
  const work = {
    next: () => (performance.now() < endsAt ? queue.shift() : undefined),
    again: (mutant: NumberedMutant) => queue.push(mutant),
  }
  await Promise.all(
    Array.from({ length: seeding.lanes }, () => seedQueue(seeding.paths, work, { seeded, choice })),
  )
  return seeded
}

interface Killed {
  readonly mutant: NumberedMutant
  readonly file: RankedFile
}

interface Work {
  next(): NumberedMutant | undefined
  again(mutant: NumberedMutant): void
}

/** Tries one fault after another in a process that keeps its modules. */
async function seedQueue(
  paths: readonly string[],
  work: Work,
  { seeded, choice }: { readonly seeded: Seeded; readonly choice: TestChoice },
): Promise<void> {
  const env = { MUTATED: JSON.stringify(paths) }
  const tests = new TestProcess(env)
  let unproved: Killed[] = []

  for (let mutant = work.next(); mutant !== undefined; mutant = work.next()) {
    const files = choice.of(mutant)
    if (!tests.isRunning && !isPass(await run(tests, choice.first, -1))) {
      throw new Error(`${choice.first.file} fails without a fault`)
    }
    let result: 'survived' | 'killed' | 'not reached' = 'not reached'
    for (const file of files) {
      const answer = await run(tests, file, mutant.id)
      if (isPass(answer)) {
        if (answer.isReached) result = 'survived'
        continue
      }
      unproved.push({ mutant, file })
      choice.killed(mutant, file.file)
      if (answer === 'ended') await seedAfresh()
      result = 'killed'
      break
    }
    if (result === 'survived') seeded.survived.push(mutant)
    if (result === 'not reached') await seedInNewProcess(mutant, files.slice(0, maxFreshFiles))
    if (unproved.length >= maxUnproved) await prove()
  }
  await prove()
  tests.end()

  /**
   * A fault may leave the process broken. Then a file fails without a fault, and the faults are tried
   * again in new processes.
   */
  async function prove(): Promise<void> {
    for (const file of filesOf(unproved)) {
      if (!isPass(await run(tests, file, -1))) return seedAfresh()
    }
    seeded.killed.push(...unproved.map(({ mutant }) => mutant))
    unproved = []
  }

  async function seedAfresh(): Promise<void> {
    tests.end()
    const again = unproved
    unproved = []
    const failing = new Set<RankedFile>()
    for (const file of filesOf(again)) {
      const fresh = new TestProcess(env)
      if (!isPass(await run(fresh, file, -1))) failing.add(file)
      fresh.end()
    }
    for (const file of failing) choice.exclude(file.file)
    for (const { mutant, file } of again) {
      if (failing.has(file)) work.again(mutant)
      else await seedInNewProcess(mutant, [file])
    }
  }

  async function seedInNewProcess(mutant: NumberedMutant, files: readonly RankedFile[]) {
    const fresh = new TestProcess({ ...env, MUTANT: String(mutant.id) })
    let isKilled = false
    for (const file of files) {
      isKilled = !isPass(await run(fresh, file, mutant.id))
      if (isKilled) break
    }
    fresh.end()
    seeded[isKilled ? 'killed' : 'survived'].push(mutant)
  }
}

function filesOf(killed: readonly Killed[]): RankedFile[] {
  return [...new Map(killed.map(({ file }) => [file.file, file])).values()]
}

function isPass(answer: RunResult | 'ended'): answer is RunResult {
  return answer !== 'ended' && answer.isPassed
}

/** A fault that makes a file hang is killed. */
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
