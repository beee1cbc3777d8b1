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

export type Outside = `x-${string}`

/** A missing cell of a stage is a compile error. */
export interface AddedRequirements {
  readonly stages?: Readonly<Record<Outside, Readonly<Record<Requirement, Cell>>>>
  readonly requirements?: Readonly<Record<Outside, AddedRequirement>>
}

/** The name is also the reason code of refusals. */
export interface AddedRequirement {
  isMet(facts: Facts): boolean
  readonly cells: Readonly<Partial<Record<Stage | Outside, WithoutStep>>>
  /** For stages not in `cells`. */
  readonly otherwise: WithoutStep
}

type WithoutStep = Exclude<Cell, 'challenge'>

declare module '../../core/module/module.ts' {
  interface Module {
    readonly requirements?: () => Promise<AddedRequirements>
  }
}

/** @throws Error if two modules add the same name */
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

/** The table first. */
export function cellsByStage(
  added: AddedRequirements = {},
): ReadonlyMap<string, readonly (readonly [Requirement | Outside, Cell])[]> {
  const requirements = Object.keys(requirementTable) as Requirement[]
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
    ...Object.entries(added.stages ?? {}).map(([stage, cells]) =>
      row(stage as Outside, (name) => cells[name]),
    ),
  ])
}

/** Operators compare docs/access.txt between versions. */
const documented: Readonly<Record<string, string>> = {
  challenge: 'ask',
  unauthenticated: 'absent',
  'enrolment-only': 'enrols',
  anonymous: 'guest',
  '': '-',
}

/** For docs/access.txt: a line per stage, `-` for an empty cell. */
export function describeRequirements(added?: AddedRequirements): string {
  const all = [...cellsByStage(added)]
  const names = all[0]?.[1].map(([requirement]) => requirement) ?? []
  const lines = all.map(([stage, cells]) => [
    stage,
    ...cells.map(([, cell]) => documented[cell] ?? cell),
  ])
  return inColumns([['ASKED OF', ...names], ...lines])
}
