/** The label value in the place of all values beyond the bound. */
export const other = 'other'

/** A combination of label values, and how often it was counted. */
export interface Counted {
  readonly values: readonly string[]
  readonly count: number
}

/**
 * Counts by label values, for what happens rarely. The values come from lists in the code, such as the
 * names of events. So that a mistake in that cannot fill the memory, the number of combinations is
 * bounded, and further ones count as `other`.
 */
export class Counters {
  readonly #counts = new Map<string, { readonly values: readonly string[]; count: number }>()
  readonly #max: number

  /**
   * @param known combinations that are told from the start on, as 0: a rate of a series that appears
   * with its first event does not show that one
   */
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

  /** How often one combination was counted. */
  of(values: readonly string[]): number {
    return this.#counts.get(values.join('\n'))?.count ?? 0
  }

  /** All combinations, in the order in which they were first counted. */
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
