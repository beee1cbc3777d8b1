import { median } from './figure.ts'

/** What a turn saw of the rest of the machine. */
export interface Seen {
  /** Cores that other programs used, stolen time of a virtual machine included. */
  readonly others: number
}

export interface Bounds {
  /** Cores that others may use in a turn. */
  readonly others: number
  /** How far the yardstick may differ between turns: most less least, of the median. */
  readonly spread: number
}

export const bounds: Bounds = { others: 0.1, spread: 0.2 }

/** Whether a turn counts. */
export function isQuiet({ others }: Seen, { others: most }: Bounds = bounds): boolean {
  return others <= most
}

/** The sentence that stands instead of the figures, or undefined if they may be given. */
export function disturbance(
  turns: readonly Seen[],
  wanted: number,
  yardstick: { readonly name: string; readonly values: readonly number[] },
  limits: Bounds = bounds,
): string | undefined {
  const quiet = turns.filter((turn) => isQuiet(turn, limits))
  if (quiet.length < wanted) {
    const most = Math.max(...turns.map(({ others }) => others))
    return `Disturbed: in ${turns.length - quiet.length} of ${turns.length} turns other programs used more than ${limits.others} of a core (up to ${most.toFixed(2)}).`
  }
  const { name, values } = yardstick
  const spread = (Math.max(...values) - Math.min(...values)) / median(values)
  if (values.length > 1 && spread > limits.spread) {
    return `Disturbed: ${name}, which does the same work in each turn, differed by ${Math.round(spread * 100)} % between turns (bound: ${Math.round(limits.spread * 100)} %).`
  }
  return undefined
}
