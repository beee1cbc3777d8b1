/** The used steps of a second factor, whose codes are accepted once. RFC 6238 section 5.2. */
export interface UsedSteps {
  /** The latest used step. */
  readonly last: number
  /** Bit n stands for the step `last - n`. */
  readonly bits: number
}

/**
 * How many steps are remembered, 26 minutes of them: a number of 52 bits is exact on both databases
 * and in JavaScript. If the clock goes back by less, unused codes are still accepted; older steps
 * count as used.
 */
const remembered = 52

/** The used steps after the first code of a factor. */
export function firstUse(step: number): UsedSteps {
  return { last: step, bits: 1 }
}

/** Adds a step to the used ones; null if it was used, or may have been. */
export function useOf(step: number, { last, bits }: UsedSteps): UsedSteps | null {
  const ahead = step - last
  if (ahead >= remembered) return firstUse(step)
  if (ahead > 0) return { last: step, bits: (bits % 2 ** (remembered - ahead)) * 2 ** ahead + 1 }
  const bit = 2 ** -ahead
  const isUsed = -ahead >= remembered || Math.floor(bits / bit) % 2 === 1
  return isUsed ? null : { last, bits: bits + bit }
}
