/** A response of an authenticator is refused. `step` names the check of WebAuthn level 3. */
export class CeremonyError extends Error {
  readonly step: string

  constructor(step: string, options?: ErrorOptions) {
    super(`the step ${step} refuses the response`, options)
    this.name = 'CeremonyError'
    this.step = step
  }
}

/** In the order in which the specification lists the checks. */
export type Steps<Facts> = readonly (readonly [name: string, isPassed: (facts: Facts) => boolean])[]

/** @throws CeremonyError of the first step that does not pass */
export function takeSteps<Facts>(steps: Steps<Facts>, facts: Facts): void {
  for (const [name, isPassed] of steps) {
    if (!attempt(name, () => isPassed(facts))) throw new CeremonyError(name)
  }
}

/** Any error of the work is a refusal of the step. @throws CeremonyError */
export function attempt<T>(step: string, work: () => T): T {
  try {
    return work()
  } catch (cause) {
    throw cause instanceof CeremonyError ? cause : new CeremonyError(step, { cause })
  }
}
