import { models } from './guessing-models.ts'
import { subjectOf } from './guessing-subject.ts'

/** Guessing effort of the cheapest description. */
export interface Guessing {
  readonly bits: number
  /** Relative to random characters of the same kind: 0 to 1. */
  readonly share: number
}

/** Sufficient to judge strength. */
const maxLength = 256

/**
 * Conservative estimate: the cheapest composition of words, counts, keyboard runs, repetitions,
 * dates and characters. Method: zxcvbn (Wheeler, USENIX Security 2016).
 */
export function guessingBits(text: string): Guessing {
  const subject = subjectOf([...text].slice(0, maxLength).join(''))
  const length = subject.points.length
  /** Minimum bits before each position. */
  const cheapest = [0]
  for (let start = 0; start < length; start += 1) {
    const before = cheapest[start] ?? 0 // set: single characters reach all positions
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
