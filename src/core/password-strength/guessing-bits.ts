import { models } from './guessing-models.ts'
import { subjectOf } from './guessing-subject.ts'

/** The effort to guess a text, by its cheapest description. */
export interface Guessing {
  readonly bits: number
  /** The bits divided by those of random characters of the same kind: 0 to 1. */
  readonly share: number
}

/** Further characters are ignored: they do not change whether a text of this length is strong. */
const maxLength = 256

/**
 * Estimates the bits of a text, rather too low than too high: the cheapest way to compose it of
 * words, counts, runs of keys, repetitions, dates and single characters. The method is that of
 * zxcvbn (Wheeler, USENIX Security 2016).
 */
export function guessingBits(text: string): Guessing {
  const subject = subjectOf([...text].slice(0, maxLength).join(''))
  const length = subject.points.length
  /** The fewest bits of the text before each position. */
  const cheapest = [0]
  for (let start = 0; start < length; start += 1) {
    const before = cheapest[start] ?? 0 // set: single characters reach every position
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
