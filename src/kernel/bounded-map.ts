/** A map of at most `most` entries: the one that was set longest ago makes room. */
export class BoundedMap<Key, Value> {
  readonly #most: number
  readonly #entries = new Map<Key, Value>()

  constructor(most: number) {
    this.#most = most
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key)
  }

  set(key: Key, value: Value): void {
    this.#entries.delete(key) // so that it becomes the youngest
    if (this.#entries.size >= this.#most) {
      const [oldest] = this.#entries.keys()
      if (oldest !== undefined) this.#entries.delete(oldest)
    }
    this.#entries.set(key, value)
  }

  delete(key: Key): void {
    this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
  }
}
