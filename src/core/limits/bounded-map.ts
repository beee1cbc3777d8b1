/** A map of at most `maxEntries`; a further entry removes the one that was set longest ago. */
export class BoundedMap<Key, Value> {
  readonly #maxEntries: number
  readonly #entries = new Map<Key, Value>()
  // While each set removes a key, it goes on where the last one stood: a new iterator would first
  // pass the places of all keys that were removed before, thousands in a large map. Kept no longer,
  // because an iterator that stands still holds all earlier tables of its map in memory.
  #oldestFirst: MapIterator<Key> | undefined

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key)
  }

  set(key: Key, value: Value): void {
    this.#entries.delete(key) // so that it becomes the youngest
    if (this.#entries.size >= this.#maxEntries) this.#removeOldest()
    else this.#oldestFirst = undefined
    this.#entries.set(key, value)
  }

  delete(key: Key): void {
    this.#entries.delete(key)
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
    if (!oldest.done) this.#entries.delete(oldest.value)
  }
}
