const minuteMs = 60_000

/** What one source did too often in a minute to be taken one by one. */
export interface Counted {
  /** Null: of several sources, because there were too many of them. */
  readonly source: string | null
  readonly kind: string
  readonly count: number
  /** When the minute began, in epoch milliseconds. */
  readonly since: number
}

export interface FloodBoundOptions {
  /** How many of one source are taken one by one in a minute, of all kinds together. */
  readonly maxPerMinute?: number
  /** How many sources, and how many counts, are told apart in a minute. */
  readonly maxSources?: number
  /** Takes a count when its minute is over. */
  readonly onCounted: (counted: Counted) => void
}

/**
 * Bounds what a flood leaves behind: of each source the first few in a minute are taken one by one,
 * and of the others the number is told at the end of the minute, by kind. The memory is bounded as
 * well: all sources beyond `maxSources` share one bound and one count.
 */
export class FloodBound {
  readonly #maxPerMinute: number
  readonly #maxSources: number
  readonly #onCounted: (counted: Counted) => void
  #minute = 0
  #taken = new Map<string | null, number>()
  #counts = new Map<string, { source: string | null; kind: string; count: number }>()

  constructor({ maxPerMinute = 30, maxSources = 1000, onCounted }: FloodBoundOptions) {
    this.#maxPerMinute = maxPerMinute
    this.#maxSources = maxSources
    this.#onCounted = onCounted
  }

  /** Whether this one is taken by itself; otherwise it is counted. `now`: epoch milliseconds. */
  admits(source: string, kind: string, now: number): boolean {
    this.tellEnded(now)
    const known = this.#taken.has(source) || this.#taken.size < this.#maxSources
    const sharer = known ? source : null
    const taken = this.#taken.get(sharer) ?? 0
    if (taken < this.#maxPerMinute) {
      this.#taken.set(sharer, taken + 1)
      return true
    }
    this.#count(sharer, kind)
    return false
  }

  /** Tells the counts if their minute is over. A job calls it, for what no other source follows. */
  tellEnded(now: number): void {
    const minute = Math.floor(now / minuteMs)
    if (minute === this.#minute) return
    this.tellAll()
    this.#taken = new Map()
    this.#minute = minute
  }

  /** Tells the counts of the minute under way, because the process stops. */
  tellAll(): void {
    const counts = this.#counts
    this.#counts = new Map() // before they are told, because that may count again
    const since = this.#minute * minuteMs
    for (const counted of counts.values()) this.#onCounted({ ...counted, since })
  }

  #count(source: string | null, kind: string): void {
    const key = `${kind} ${source}`
    const counted = this.#counts.get(key)
    if (counted) counted.count += 1
    else if (source !== null && this.#counts.size >= this.#maxSources) this.#count(null, kind)
    else this.#counts.set(key, { source, kind, count: 1 })
  }
}
