import { gatehouse } from '../hints/command-line.ts'
import type { Migration } from './migrations/statement.ts'

/**
 * `expand` only adds, so the previous version still works on the schema. `contract` removes or
 * redefines data that the previous version uses.
 */
export type MigrationKind = 'expand' | 'contract'

export interface Step {
  readonly kind: MigrationKind
  readonly statements: Migration
}

export const expand = (statements: Migration): Step => ({ kind: 'expand', statements })

export const contract = (statements: Migration): Step => ({ kind: 'contract', statements })

/** The first migration whose kind is stored in the database. */
export const firstKnownKind = 24
export const lastContract = 14

export interface Due extends Pick<Step, 'kind'> {
  readonly version: number
}

export interface MayRun {
  /** 0 for a new database. */
  readonly from: number
  /** Whether another node may use the database. */
  readonly mayBeShared: boolean
  /** Returns the addresses of other nodes, or null. */
  readonly otherNodes: () => Promise<string | null>
  /** Whether the operator confirmed that no node of a previous version runs. */
  readonly mayContract: boolean
}

/**
 * A `contract` migration requires confirmation if a previous version's node may run. Before 0.8.0
 * no confirmation existed: these migrations wait while other nodes are connected. @throws Error
 * that says what to do
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
      `migration ${first.version} takes away what the previous version reads: when no node of it runs any more, \`${gatehouse} migrate --contract\``,
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

/** A migration unknown to this program. */
export interface Unknown {
  readonly version: number
  /** Null if not stored. */
  readonly kind: string | null
}

/** @throws Error unless all newer migrations only add */
export function assertWorksWith(newer: readonly Unknown[], known: number): void {
  if (newer.every(({ kind }) => kind === 'expand')) return
  const version = Math.max(...newer.map((each) => each.version))
  throw new Error(
    `the database has schema ${version}, this program knows ${known}: start a newer Gatehouse`,
  )
}
