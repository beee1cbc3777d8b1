import { median } from './figure.ts'

/** What a turn saw of the rest of the machine. */
export interface Seen {
  /** Cores that other programs used, stolen time of a virtual machine included. */
  readonly others: number
  /** The rate of the yardstick, which does the same work in each turn. */
  readonly yardstick?: number
}

export interface Bounds {
  /** Cores that others may use in a turn. */
  readonly others: number
  /** How far the yardstick of a turn may be from the median of all quiet ones, as a share of it. */
  readonly spread: number
}

export const bounds: Bounds = { others: 0.1, spread: 0.2 }

/** Whether other programs left the machine to a turn. */
export function isQuiet({ others }: Seen, { others: most }: Bounds = bounds): boolean {
  return others <= most
}

/** Whether each turn counts: it was quiet, and its yardstick is near the median of the quiet ones. */
export function counting(turns: readonly Seen[], limits: Bounds = bounds): boolean[] {
  const usual = usualOf(turns, limits)
  return turns.map((turn) => isQuiet(turn, limits) && isNear(turn, usual, limits))
}

/** How many turns must count for a figure: three of five. */
export function leastTurns(wanted: number): number {
  return Math.ceil(wanted * 0.6)
}

/** The sentence that stands instead of the figures, or undefined if they may be given. */
export function disturbance(
  turns: readonly Seen[],
  wanted: number,
  yardstick = '',
  limits: Bounds = bounds,
): string | undefined {
  const counted = counting(turns, limits).filter(Boolean).length
  const least = leastTurns(wanted)
  if (counted >= least) return undefined
  const busy = turns.filter((turn) => !isQuiet(turn, limits)).length
  const most = Math.max(...turns.map(({ others }) => others))
  const off = turns.length - busy - counted
  const reasons = [
    ...(busy > 0
      ? [
          `in ${busy} other programs used more than ${limits.others} of a core (up to ${most.toFixed(2)})`,
        ]
      : []),
    ...(off > 0
      ? [
          `in ${off} ${yardstick}, which does the same work in each turn, was more than ${Math.round(limits.spread * 100)} % off its median`,
        ]
      : []),
  ]
  return `Disturbed: of ${turns.length} turns ${counted} count, of ${least} that are needed: ${reasons.join('; ')}.`
}

/** The median of the yardstick in quiet turns; NaN where there is no yardstick. */
function usualOf(turns: readonly Seen[], limits: Bounds): number {
  const values = turns.flatMap((turn) =>
    isQuiet(turn, limits) && turn.yardstick !== undefined ? [turn.yardstick] : [],
  )
  return median(values)
}

function isNear({ yardstick }: Seen, usual: number, { spread }: Bounds): boolean {
  return yardstick === undefined || Math.abs(yardstick / usual - 1) <= spread
}
