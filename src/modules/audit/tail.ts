import { maxMissing, type TailPosition } from './cursor.ts'

/** Records per read, at most. */
export const maxLookedThrough = 2000

// No transaction is open for longer: numbers still missing then were rolled back.
const openMs = 60_000

interface Range {
  readonly from: number
  readonly to: number
}

/** The last 50: numbers are assigned before the commit, so lower numbers can appear later. */
export function missingAmong(
  numbers: readonly number[],
  { from, to }: Range,
  now: number,
): TailPosition['missing'] {
  const present = new Set(numbers)
  const missing: { number: number; until: number }[] = []
  for (let number = to; number >= from && missing.length < maxMissing; number -= 1) {
    if (!present.has(number)) missing.push({ number, until: now + openMs })
    if (to - number > 20 * maxMissing) break // open transactions leave no gap this wide
  }
  return missing.toReversed()
}

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
