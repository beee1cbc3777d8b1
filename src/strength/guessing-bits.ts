import { models } from './guessing-models.ts'
import { subjectOf } from './guessing-subject.ts'

/** How hard a text is to guess, by its cheapest description. */
export interface Guessing {
  readonly bits: number
  /** These bits as a share of those that its characters would have by chance: 0 to 1. */
  readonly share: number
}

/** More is not looked at: so much is enough, or it never is. */
const maxLength = 256

/**
 * A low estimate of the bits of a text: over all ways to take it apart into words, counts, runs of
 * keys, repetitions, dates and single characters, the cheapest. In the manner of zxcvbn (Wheeler,
 * USENIX Security 2016).
 */
export function guessingBits(text: string): Guessing {
  const subject = subjectOf([...text].slice(0, maxLength).join(''))
  const length = subject.points.length
  /** The bits of what stands before each place. */
  const cheapest = [0]
  for (let start = 0; start < length; start += 1) {
    const before = cheapest[start] ?? 0 // the single character reaches every place
    for (const model of Object.values(models)) {
      for (const { end, bits } of model(subject, start)) {
        cheapest[end] = Math.min(before + bits, cheapest[end] ?? Number.POSITIVE_INFINITY)
      }
    }
  }
  const bits = cheapest[length] ?? 0
  const ofCharacters = length * subject.bitsPerCharacter
  return { bits, share: ofCharacters === 0 ? 0 : bits / ofCharacters }
}
