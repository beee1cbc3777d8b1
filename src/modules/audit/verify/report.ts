export const problemKinds = [
  'changed',
  'missing',
  'inserted',
  'number',
  'index',
  'erasure',
  'chain',
  'tombstone',
  'checkpoint',
  'outside',
  'key',
] as const
export type ProblemKind = (typeof problemKinds)[number]

/** Null without a record. */
export interface Problem {
  readonly what: ProblemKind
  readonly chain: string | null
  readonly place: number | null
  readonly number: number | null
  readonly id: string | null
  readonly detail: string
}

/** Checkpoints missing in the database. */
export interface Fork {
  readonly from: number
  readonly to: number
  readonly lines: number
  /** Time of the newest, epoch milliseconds. */
  readonly at: number
  /** The restore that explains the gap. */
  readonly restore: Restore | null
}

export interface Restore {
  readonly id: string
  /** Epoch milliseconds. */
  readonly at: number
  readonly file: string | null
  /** ISO 8601. */
  readonly created_at: string | null
}

export interface NamedCheckpoint {
  readonly number: number
  /** Epoch milliseconds. */
  readonly at: number
}

export interface Verification {
  readonly first: Problem | null
  /** First problems of each kind; `problemCount`: total. */
  readonly problems: readonly Problem[]
  readonly problemCount: number
  readonly fork: Fork | null
  readonly checked: {
    readonly records: number
    readonly chains: number
    readonly checkpoints: number
    readonly tombstones: number
    /** Lines; null without a file. */
    readonly outside: number | null
  }
  /** Records with erased keys. */
  readonly erased: number
  readonly lastCheckpoint: NamedCheckpoint | null
  readonly lastOutside: NamedCheckpoint | null
  /** Without a checkpoint; `since`: the oldest. */
  readonly uncovered: { readonly records: number; readonly since: number | null }
  /** Remarks that are no problem. */
  readonly notes: readonly string[]
}

const maxKept = 20

export function createFindings() {
  const found: { readonly order: number; readonly problem: Problem }[] = []
  let count = 0
  return {
    /** `order`: number of the record, or of the record after a gap; default last. */
    add(problem: Problem, order = problem.number ?? Infinity): void {
      count += 1
      found.push({ order, problem })
      found.sort((one, other) => one.order - other.order)
      found.length = Math.min(found.length, maxKept)
    },
    count: () => count,
    list: (): Problem[] => found.map(({ problem }) => problem),
  }
}

export type Findings = ReturnType<typeof createFindings>

export function generalProblem(
  what: ProblemKind,
  detail: string,
  chain: string | null = null,
): Problem {
  return { what, chain, place: null, number: null, id: null, detail }
}
