/** What is wrong, in one word for programs. */
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

/** One thing that is wrong; null where it is not about one record. */
export interface Problem {
  readonly what: ProblemKind
  readonly chain: string | null
  readonly place: number | null
  readonly number: number | null
  readonly id: string | null
  /** One sentence. */
  readonly detail: string
}

/** The database lacks checkpoints that the file outside has. */
export interface Fork {
  /** The checkpoints that are missing. */
  readonly from: number
  readonly to: number
  readonly lines: number
  /** The newest of them, in epoch milliseconds. */
  readonly at: number
  /** The recorded restore of a backup that explains them; null if there is none. */
  readonly restore: Restore | null
}

/** A restore of a backup, as its record tells. */
export interface Restore {
  readonly id: string
  /** Epoch milliseconds. */
  readonly at: number
  readonly file: string | null
  /** When the backup was made, ISO 8601. */
  readonly created_at: string | null
}

/** A checkpoint, as a report names it. */
export interface NamedCheckpoint {
  readonly number: number
  /** Epoch milliseconds. */
  readonly at: number
}

/** The result of a verification. */
export interface Verification {
  readonly first: Problem | null
  /** All problems; of each kind the first ones, `problemCount` in all. */
  readonly problems: readonly Problem[]
  readonly problemCount: number
  readonly fork: Fork | null
  readonly checked: {
    readonly records: number
    readonly chains: number
    readonly checkpoints: number
    readonly tombstones: number
    /** Lines of the file outside; null without a file. */
    readonly outside: number | null
  }
  /** Records of persons whose key was erased: their indexes are empty, and nothing opens them. */
  readonly erased: number
  readonly lastCheckpoint: NamedCheckpoint | null
  readonly lastOutside: NamedCheckpoint | null
  /** Records that no checkpoint covers yet, and when the oldest of them was made. */
  readonly uncovered: { readonly records: number; readonly since: number | null }
  /** What the reader must know although it is no problem. */
  readonly notes: readonly string[]
}

const maxKept = 20

/** Collects problems: the first by the order of the records, and as many as a person would read. */
export function createFindings() {
  const found: { readonly order: number; readonly problem: Problem }[] = []
  let count = 0
  return {
    /** `order`: the number of the record, or of the one behind a gap; the last if there is none. */
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

/** A problem that is not about one record. */
export function generalProblem(
  what: ProblemKind,
  detail: string,
  chain: string | null = null,
): Problem {
  return { what, chain, place: null, number: null, id: null, detail }
}
