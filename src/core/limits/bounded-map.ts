/** When full, removes the oldest set entry. */
export class BoundedMap<Key, Value> {
  readonly #maxEntries: number
  readonly #entries = new Map<Key, Value>()
  // Reused: a new iterator skips all deleted slots. Dropped when unused: it keeps old tables in
  // memory.
  #oldestFirst: MapIterator<Key> | undefined

  readonly #removed: ((key: Key, value: Value) => void) | undefined

  /** `removed` is called for each removed entry, except by `clear`. */
  constructor(maxEntries: number, removed?: (key: Key, value: Value) => void) {
    this.#maxEntries = maxEntries
    this.#removed = removed
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key)
  }

  set(key: Key, value: Value): void {
    this.delete(key) // moves the key to the end
    if (this.#entries.size >= this.#maxEntries) this.#removeOldest()
    else this.#oldestFirst = undefined
    this.#entries.set(key, value)
  }

  delete(key: Key): void {
    const value = this.#removed && this.#entries.get(key)
    const wasKept = this.#entries.delete(key)
    if (wasKept) this.#removed?.(key, value as Value)
  }

  [Symbol.iterator](): IterableIterator<[Key, Value]> {
    return this.#entries.entries()
  }

  clear(): void {
    this.#entries.clear()
    this.#oldestFirst = undefined
  }

  #removeOldest(): void {
    this.#oldestFirst ??= this.#entries.keys()
    const oldest = this.#oldestFirst.next()
    if (!oldest.done) this.delete(oldest.value)
  }
}
