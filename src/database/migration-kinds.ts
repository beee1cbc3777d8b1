import { gatehouse } from '../hints/command-line.ts'
import type { Migration } from './migrations/statement.ts'

/**
 * What a migration does to the version before. `expand`: it only adds, so that programs of the version
 * before work on beside it, and can be started again. `contract`: it takes away, or changes the meaning of,
 * what they read or write.
 */
export type MigrationKind = 'expand' | 'contract'

export interface Step {
  readonly kind: MigrationKind
  readonly statements: Migration
}

/** A migration that only adds. */
export const expand = (statements: Migration): Step => ({ kind: 'expand', statements })

/** A migration that takes away. */
export const contract = (statements: Migration): Step => ({ kind: 'contract', statements })

/** The first migration whose kind the database knows, too. */
export const firstKnownKind = 24

/** A migration that is due, by its number. */
export interface Due extends Pick<Step, 'kind'> {
  readonly version: number
}

export interface MayRun {
  /** The version of the schema; 0 for a new database. */
  readonly from: number
  /** Whether another node may be at work on the database. */
  readonly mayBeShared: boolean
  /** Whether the operator has said that none of a version before is. */
  readonly mayContract: boolean
}

/**
 * Asserts that migrations may run. One that takes away waits until the operator says so, where a node of
 * the version before may be at work. @throws Error
 */
export function assertMayRun(
  due: readonly Due[],
  { from, mayBeShared, mayContract }: MayRun,
): void {
  if (from === 0 || !mayBeShared || mayContract) return
  const first = due.find(({ kind, version }) => kind === 'contract' && version >= firstKnownKind)
  if (!first) return
  throw new Error(
    `migration ${first.version} takes away what the version before reads: when no node of it runs any more, \`${gatehouse} migrate --contract\``,
  )
}

/** A migration that the database has, and this program does not know. */
export interface Unknown {
  readonly version: number
  /** Null for one of a program that does not tell. */
  readonly kind: string | null
}

/** Asserts that this program works with a newer schema: all that is new was added. @throws Error */
export function assertWorksWith(newer: readonly Unknown[], known: number): void {
  if (newer.every(({ kind }) => kind === 'expand')) return
  const version = Math.max(...newer.map((each) => each.version))
  throw new Error(
    `the database has schema ${version}, this program knows ${known}: start a newer Gatehouse`,
  )
}
