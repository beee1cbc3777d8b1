import { type Figure, median } from './figure.ts'

/** Ratios by name; more is better. */
export type Ratios = Readonly<Record<string, number>>

/** A ratio may fall by a tenth, which is more than a run differs from the next. */
export const tolerance = 0.1

/** The ratios of figures that ratchet.json holds. @throws Error if two have one name */
export function ratiosOf(figures: readonly Figure[]): Ratios {
  const ratios: Record<string, number> = {}
  for (const figure of figures) {
    for (const { ratchet, values } of figure.lines.flatMap((line) => line.comparisons ?? [])) {
      if (ratchet === undefined) continue
      if (ratchet in ratios) throw new Error(`two ratios are named ${ratchet}`)
      ratios[ratchet] = median(values)
    }
  }
  return ratios
}

export interface Verdict {
  readonly name: string
  readonly held: number
  /** NaN where it was not measured. */
  readonly now: number
  readonly fell: boolean
}

/** Compares what was measured with what is held; a ratio that was not measured counts as fallen. */
export function verdicts(held: Ratios, now: Ratios): Verdict[] {
  return Object.entries(held).map(([name, value]) => {
    const measured = now[name] ?? Number.NaN
    return { name, held: value, now: measured, fell: !(measured >= value * (1 - tolerance)) }
  })
}

/** What is held from now on: each ratio raised to what was measured, lowered only if that is asked for. */
export function updated(held: Ratios, now: Ratios, mayLower: boolean): Ratios {
  const ratios: Record<string, number> = {}
  for (const name of [...new Set([...Object.keys(held), ...Object.keys(now)])].toSorted()) {
    const [before, measured] = [held[name], rounded(now[name])]
    const higher = Math.max(before ?? 0, measured ?? 0)
    const ratio = mayLower ? (measured ?? before) : higher
    if (ratio !== undefined && ratio > 0) ratios[name] = ratio
  }
  return ratios
}

/** Three decimals; undefined for what is no number. */
function rounded(value: number | undefined): number | undefined {
  return value === undefined || !Number.isFinite(value)
    ? undefined
    : Math.round(value * 1000) / 1000
}
