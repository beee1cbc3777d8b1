/** Codes are accepted once. RFC 6238 section 5.2. */
export interface UsedSteps {
  readonly last: number
  /** Bit n: step `last - n`. */
  readonly bits: number
}

/**
 * 26 minutes; 52 bits are exact in both databases and JavaScript. Unused codes stay valid if the
 * clock goes back by less; older steps count as used.
 */
const remembered = 52

export function firstUse(step: number): UsedSteps {
  return { last: step, bits: 1 }
}

/** Null if the step was used, or is too old to know. */
export function useOf(step: number, { last, bits }: UsedSteps): UsedSteps | null {
  const ahead = step - last
  if (ahead >= remembered) return firstUse(step)
  if (ahead > 0) return { last: step, bits: (bits % 2 ** (remembered - ahead)) * 2 ** ahead + 1 }
  const bit = 2 ** -ahead
  const isUsed = -ahead >= remembered || Math.floor(bits / bit) % 2 === 1
  return isUsed ? null : { last, bits: bits + bit }
}
