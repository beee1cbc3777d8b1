import { maxMissing, type TailPosition } from './cursor.ts'

/** How many records one look at the tail reads at most. */
export const maxLookedThrough = 2000

// No transaction is open for longer: what has a number then was rolled back.
const openMs = 60_000

interface Range {
  readonly from: number
  readonly to: number
}

/**
 * The numbers of a range that no record has, at most the last 50: a number is given before the
 * commit, so a record of a lower number can appear after one of a higher.
 */
export function missingAmong(
  numbers: readonly number[],
  { from, to }: Range,
  now: number,
): TailPosition['missing'] {
  const present = new Set(numbers)
  const missing: { number: number; until: number }[] = []
  for (let number = to; number >= from && missing.length < maxMissing; number -= 1) {
    if (!present.has(number)) missing.push({ number, until: now + openMs })
    if (to - number > 20 * maxMissing) break // a gap as wide as that is not of open transactions
  }
  return missing.toReversed()
}

/** The position behind the records that were looked at. */
export function seenThrough(
  before: TailPosition,
  looked: readonly { readonly number: number }[],
  now: number,
): TailPosition {
  const numbers = looked.map(({ number }) => number)
  const seen = new Set(numbers)
  const number = Math.max(before.number, ...numbers)
  const still = before.missing.filter((one) => !seen.has(one.number) && one.until > now)
  const added = missingAmong(numbers, { from: before.number + 1, to: number }, now)
  return { number, missing: [...still, ...added].slice(-maxMissing) }
}
