/**
 * Limited per key and in total. A key at its limit drops its oldest entry. A full queue drops the
 * oldest entry of the largest key, so that a flooding key displaces no others. Constant time per
 * call.
 */
export class FairQueue<Value> {
  readonly #maxPerKey: number
  readonly #maxEntries: number
  readonly #entries = new Map<string, Value[]>()
  // Keys by number of entries.
  readonly #bySize: Set<string>[] = [new Set()]
  #length = 0

  constructor({ maxPerKey, maxEntries }: { maxPerKey: number; maxEntries: number }) {
    this.#maxPerKey = maxPerKey
    this.#maxEntries = maxEntries
  }

  get length(): number {
    return this.#length
  }

  /** Returns whether an entry was dropped. */
  push(key: string, value: Value): boolean {
    const own = this.#entries.get(key)
    if (own && own.length >= this.#maxPerKey) {
      own.shift()
      own.push(value)
      return true
    }
    const isFull = this.#length >= this.#maxEntries
    if (isFull) this.#dropOfLargest()
    // The dropped entry may have been the last of this key.
    const entries = this.#entries.get(key) ?? []
    this.#entries.set(key, entries)
    entries.push(value)
    this.#length += 1
    this.#move(key, entries.length - 1, entries.length)
    return isFull
  }

  takeAll(): Value[] {
    const all = [...this.#entries.values()].flat()
    this.#entries.clear()
    this.#bySize.splice(1)
    this.#length = 0
    return all
  }

  #dropOfLargest(): void {
    while (this.#bySize.length > 1 && this.#bySize.at(-1)?.size === 0) this.#bySize.pop()
    const [key] = this.#bySize.at(-1) ?? []
    const entries = key === undefined ? undefined : this.#entries.get(key)
    if (key === undefined || !entries) return
    entries.shift()
    this.#length -= 1
    this.#move(key, entries.length + 1, entries.length)
    if (entries.length === 0) this.#entries.delete(key)
  }

  #move(key: string, from: number, to: number): void {
    if (from > 0) this.#bySize[from]?.delete(key)
    if (to === 0) return
    this.#bySize[to] ??= new Set()
    this.#bySize[to].add(key)
  }
}
