/** Which steps of a second factor were used: a code is accepted once. RFC 6238 section 5.2. */
export interface UsedSteps {
  /** The latest one. */
  readonly last: number
  /** Bit n stands for the step `last - n`. */
  readonly bits: number
}

/**
 * 26 minutes of steps, in a number that both databases and JavaScript hold exactly. So far a clock
 * can go back and codes that were not used still count; what lies further back counts as used.
 */
const remembered = 52

/** Of a factor whose first code was just used. */
export function firstUse(step: number): UsedSteps {
  return { last: step, bits: 1 }
}

/** The same with one step more; null where it was used, or may have been. */
export function useOf(step: number, { last, bits }: UsedSteps): UsedSteps | null {
  const ahead = step - last
  if (ahead >= remembered) return firstUse(step)
  if (ahead > 0) return { last: step, bits: (bits % 2 ** (remembered - ahead)) * 2 ** ahead + 1 }
  const bit = 2 ** -ahead
  const isUsed = -ahead >= remembered || Math.floor(bits / bit) % 2 === 1
  return isUsed ? null : { last, bits: bits + bit }
}
