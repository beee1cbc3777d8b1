import { inColumns } from '../../core/lib/text.ts'
import type { Module } from '../../core/module/module.ts'
import { createClaims } from '../../core/module/registry.ts'
import type { Facts } from './requirement-facts.ts'
import {
  type Cell,
  type Requirement,
  requirementTable,
  type Stage,
  stages,
} from './requirement-table.ts'

/** The name of what an external module adds to the table. */
export type Outside = `x-${string}`

/** What an external module adds to the table. A missing cell of a stage is an error of the compiler. */
export interface AddedRequirements {
  readonly stages?: Readonly<Record<Outside, Readonly<Record<Requirement, Cell>>>>
  readonly requirements?: Readonly<Record<Outside, AddedRequirement>>
}

/** A requirement of an external module. Its name is also the code of the reason of its refusals. */
export interface AddedRequirement {
  isMet(facts: Facts): boolean
  /** Its cells; no step of a login meets it. */
  readonly cells: Readonly<Partial<Record<Stage | Outside, WithoutStep>>>
  /** The cell of each stage that `cells` does not name. */
  readonly otherwise: WithoutStep
}

type WithoutStep = Exclude<Cell, 'challenge'>

declare module '../../core/module/module.ts' {
  interface Module {
    /** Imports what the module adds to the requirement table. */
    readonly requirements?: () => Promise<AddedRequirements>
  }
}

/** What all modules add. @throws Error if two modules add the same name */
export async function addedRequirements(
  modules: readonly Module[],
): Promise<Required<AddedRequirements>> {
  const claim = createClaims()
  const loaded = await Promise.all(modules.map(async ({ requirements }) => requirements?.()))
  for (const [index, added] of loaded.entries()) {
    const { name = '' } = modules[index] ?? {}
    for (const stage of Object.keys(added?.stages ?? {})) claim('stage', stage, name)
    for (const one of Object.keys(added?.requirements ?? {})) claim('requirement', one, name)
  }
  return {
    stages: Object.assign({}, ...loaded.map((added) => added?.stages)),
    requirements: Object.assign({}, ...loaded.map((added) => added?.requirements)),
  }
}

/** The cells of each stage, in the order of the requirements; first those of the table. */
export function cellsByStage(
  added: AddedRequirements = {},
): ReadonlyMap<string, readonly (readonly [Requirement | Outside, Cell])[]> {
  const requirements = Object.keys(requirementTable) as Requirement[] // its keys
  const further = Object.entries(added.requirements ?? {}) as [Outside, AddedRequirement][]
  const row = (stage: Stage | Outside, cellOf: (requirement: Requirement) => Cell) =>
    [
      stage,
      [
        ...requirements.map((name) => [name, cellOf(name)] as const),
        ...further.map(
          ([name, { cells, otherwise }]) => [name, cells[stage] ?? otherwise] as const,
        ),
      ],
    ] as const
  return new Map([
    ...stages.map((stage, index) => row(stage, (name) => requirementTable[name][index] ?? '')),
    ...Object.entries(added.stages ?? {}).map(
      ([stage, cells]) => row(stage as Outside, (name) => cells[name]), // the keys of the record
    ),
  ])
}

/** Words of docs/access.txt, which operators compare between versions. */
const documented: Readonly<Record<string, string>> = {
  challenge: 'ask',
  unauthenticated: 'absent',
  'enrolment-only': 'enrols',
  anonymous: 'guest',
  '': '-',
}

/** The table as text for docs/access.txt: a line for each stage, and `-` for an empty cell. */
export function describeRequirements(added?: AddedRequirements): string {
  const all = [...cellsByStage(added)]
  const names = all[0]?.[1].map(([requirement]) => requirement) ?? []
  const lines = all.map(([stage, cells]) => [
    stage,
    ...cells.map(([, cell]) => documented[cell] ?? cell),
  ])
  return inColumns([['ASKED OF', ...names], ...lines])
}
