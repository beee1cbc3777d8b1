const minuteMs = 60_000

/** Events of one source above the limit in a minute. */
export interface Counted {
  /** Null: several sources, beyond `maxSources`. */
  readonly source: string | null
  readonly kind: string
  readonly count: number
  /** Start of the minute, epoch milliseconds. */
  readonly since: number
}

export interface FloodBoundOptions {
  /** Limit per source, all kinds together. */
  readonly maxPerMinute?: number
  /** Sources and counts distinguished per minute. */
  readonly maxSources?: number
  /** Called at the end of the minute. */
  readonly onCounted: (counted: Counted) => void
}

/**
 * The first events of each source in a minute pass, the rest are counted by kind. Bounds memory:
 * sources beyond `maxSources` share one limit and count.
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

  /** False: counted. `now`: epoch milliseconds. */
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

  /** For a job, when no event follows. */
  tellEnded(now: number): void {
    const minute = Math.floor(now / minuteMs)
    if (minute === this.#minute) return
    this.tellAll()
    this.#taken = new Map()
    this.#minute = minute
  }

  /** Reports the current minute at shutdown. */
  tellAll(): void {
    const counts = this.#counts
    this.#counts = new Map() // before the callback, which may count again
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
