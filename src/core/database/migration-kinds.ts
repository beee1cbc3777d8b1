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
/** The last migration that takes away. */
export const lastContract = 14

/** A migration that is due, by its number. */
export interface Due extends Pick<Step, 'kind'> {
  readonly version: number
}

export interface MayRun {
  /** The version of the schema; 0 for a new database. */
  readonly from: number
  /** Whether another node may be at work on the database. */
  readonly mayBeShared: boolean
  /** Answers from where other nodes are connected; null if none is. */
  readonly otherNodes: () => Promise<string | null>
  /** Whether the operator has said that none of a version before is. */
  readonly mayContract: boolean
}

/**
 * Asserts that migrations may run. One that takes away waits until the operator says so, where a node of
 * the version before may be at work. Before version 0.8.0 no operator was asked, so one of that time waits
 * as long as other nodes are connected. @throws Error that says what to do
 */
export async function assertMayRun(
  due: readonly Due[],
  { from, mayBeShared, mayContract, otherNodes }: MayRun,
): Promise<void> {
  if (from === 0 || !mayBeShared || mayContract) return
  const contracts = due.filter(({ kind }) => kind === 'contract')
  const first = contracts.find(({ version }) => version >= firstKnownKind)
  if (first) {
    throw new Error(
      `migration ${first.version} takes away what the version before reads: when no node of it runs any more, \`${gatehouse} migrate --contract\``,
    )
  }
  const [earlier] = contracts
  const places = earlier ? await otherNodes() : null
  if (!earlier || places === null) return
  throw new Error(
    `migration ${earlier.version} takes away what older versions read, and other nodes are connected to the database, from ${places}: ` +
      `stop them, and start again; if none runs, \`${gatehouse} migrate --contract\``,
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
