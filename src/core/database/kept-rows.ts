import { setImmediate } from 'node:timers/promises'
import { BoundedMap } from '../limits/bounded-map.ts'
import type { ChangeFeed } from './database.ts'

const maxKept = 10_000

/**
 * Rows in memory, by the secret or name of a request. On SQLite a row is kept until the database
 * changes, on PostgreSQL until a change of one of its subjects: see migrations/0042-nodes.ts.
 */
export class KeptRows<Row extends object | null> {
  readonly #feed: ChangeFeed
  readonly #subjectsOf: (row: Row) => readonly string[]
  readonly #rows: BoundedMap<string, Row>
  readonly #keysOf = new Map<string, Set<string>>()
  /** Reads that have not begun. */
  readonly #due = new Map<string, Promise<Row | null>>()
  #seenVersion: number
  #changes = 0

  constructor(feed: ChangeFeed, subjectsOf: (row: Row) => readonly string[]) {
    this.#feed = feed
    this.#subjectsOf = subjectsOf
    this.#rows = new BoundedMap(maxKept, (key, row) => this.#unlist(key, row))
    this.#seenVersion = feed.anyVersion()
    feed.onChanges?.((subjects) => this.#drop(subjects))
  }

  /** Call after the request was read: the row is true at the time of the call. */
  get(key: string): Row | undefined {
    if (!this.#feed.isCurrent()) return undefined
    const version = this.#feed.anyVersion()
    if (version !== this.#seenVersion) {
      this.#drop(null)
      this.#seenVersion = version
    }
    return this.#rows.get(key)
  }

  /**
   * Keeps what `query` finds, unless a change arrives during the query. While nothing can be kept, one
   * query answers all requests that wait for it to begin.
   */
  async read<Found extends Row | null>(key: string, query: () => Promise<Found>): Promise<Found> {
    if (!this.#feed.isCurrent()) return this.#readOnce(key, query)
    const [version, changes] = [this.#feed.anyVersion(), this.#changes]
    const row = await query()
    const isSame = this.#feed.anyVersion() === version && this.#changes === changes
    if (row !== null && isSame) this.#keep(key, row as Row)
    return row
  }

  #readOnce<Found extends Row | null>(key: string, query: () => Promise<Found>): Promise<Found> {
    const due = this.#due.get(key) as Promise<Found> | undefined // a key has one query
    if (due) return due
    const read = setImmediate().then(() => {
      this.#due.delete(key)
      return query()
    })
    this.#due.set(key, read)
    return read
  }

  #keep(key: string, row: Row): void {
    this.#rows.set(key, row)
    if (!this.#feed.onChanges) return
    for (const subject of this.#subjectsOf(row)) {
      const keys = this.#keysOf.get(subject)
      if (keys) keys.add(key)
      else this.#keysOf.set(subject, new Set([key]))
    }
  }

  #drop(subjects: readonly string[] | null): void {
    this.#changes += 1
    if (!subjects) {
      this.#rows.clear()
      this.#keysOf.clear()
      return
    }
    for (const subject of subjects) {
      for (const key of [...(this.#keysOf.get(subject) ?? [])]) this.#rows.delete(key)
    }
  }

  #unlist(key: string, row: Row): void {
    for (const subject of this.#subjectsOf(row)) {
      const keys = this.#keysOf.get(subject)
      keys?.delete(key)
      if (keys?.size === 0) this.#keysOf.delete(subject)
    }
  }
}
