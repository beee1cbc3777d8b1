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

/** Null fields if the problem concerns no record. */
export interface Problem {
  readonly what: ProblemKind
  readonly chain: string | null
  readonly place: number | null
  readonly number: number | null
  readonly id: string | null
  readonly detail: string
}

/** Checkpoints of the external file that the database lacks. */
export interface Fork {
  /** The first and last missing checkpoint. */
  readonly from: number
  readonly to: number
  readonly lines: number
  /** Time of the newest, epoch milliseconds. */
  readonly at: number
  /** The recorded restore that explains the gap; null if none. */
  readonly restore: Restore | null
}

export interface Restore {
  readonly id: string
  /** Epoch milliseconds. */
  readonly at: number
  readonly file: string | null
  /** Time of the backup, ISO 8601. */
  readonly created_at: string | null
}

export interface NamedCheckpoint {
  readonly number: number
  /** Epoch milliseconds. */
  readonly at: number
}

/** The result of a verification. */
export interface Verification {
  readonly first: Problem | null
  /** The first problems of each kind; `problemCount` has the total. */
  readonly problems: readonly Problem[]
  readonly problemCount: number
  readonly fork: Fork | null
  readonly checked: {
    readonly records: number
    readonly chains: number
    readonly checkpoints: number
    readonly tombstones: number
    /** Lines of the external file; null without a file. */
    readonly outside: number | null
  }
  /** Records with erased keys: their indexes are empty and nothing opens them. */
  readonly erased: number
  readonly lastCheckpoint: NamedCheckpoint | null
  readonly lastOutside: NamedCheckpoint | null
  /** Records without a checkpoint; time of the oldest. */
  readonly uncovered: { readonly records: number; readonly since: number | null }
  /** Remarks that are no problem. */
  readonly notes: readonly string[]
}

const maxKept = 20

/** Keeps the first problems by record number. */
export function createFindings() {
  const found: { readonly order: number; readonly problem: Problem }[] = []
  let count = 0
  return {
    /** `order`: the number of the record, or of the record after a gap; default last. */
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

/** A problem that concerns no record. */
export function generalProblem(
  what: ProblemKind,
  detail: string,
  chain: string | null = null,
): Problem {
  return { what, chain, place: null, number: null, id: null, detail }
}
