export const other = 'other'

export interface Counted {
  readonly values: readonly string[]
  readonly count: number
}

/**
 * For rare events. Limits combinations, so that mistakes cannot fill memory; others count as
 * `other`.
 */
export class Counters {
  readonly #counts = new Map<string, { readonly values: readonly string[]; count: number }>()
  readonly #max: number

  /** @param known combinations that start at 0, because rates miss a series' first event */
  constructor(known: readonly (readonly string[])[] = [], max = 256) {
    this.#max = max
    for (const values of known) this.add(values, 0)
  }

  add(values: readonly string[], count = 1): void {
    const key = values.join('\n')
    const known = this.#counts.get(key)
    if (known) known.count += count
    else if (this.#counts.size < this.#max) this.#counts.set(key, { values, count })
    else
      this.#addBeyond(
        values.map(() => other),
        count,
      )
  }

  of(values: readonly string[]): number {
    return this.#counts.get(values.join('\n'))?.count ?? 0
  }

  entries(): readonly Counted[] {
    return [...this.#counts.values()]
  }

  #addBeyond(values: readonly string[], count: number): void {
    const key = values.join('\n')
    const known = this.#counts.get(key)
    if (known) known.count += count
    else this.#counts.set(key, { values, count })
  }
}
