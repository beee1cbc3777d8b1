/** `dismissed`: the administrator has said that the step is not needed here. */
export type StepState = 'done' | 'open' | 'dismissed' | 'unknown'

export interface StepNow<Step> {
  readonly step: Step
  readonly state: StepState
}

/** A step that is done stays done, whatever was dismissed before. */
export function stateOf(
  isDone: boolean | null | undefined,
  dismissed: readonly string[],
  { id }: { readonly id: string },
): StepState {
  if (isDone) return 'done'
  if (dismissed.includes(id)) return 'dismissed'
  return isDone === false ? 'open' : 'unknown'
}

/** The steps without which not all is well: neither done nor dismissed. */
export function missingOf<Step extends { readonly isEssential?: boolean }>(
  states: readonly StepNow<Step>[],
): readonly StepNow<Step>[] {
  return states.filter(
    ({ step, state }) => step.isEssential && state !== 'done' && state !== 'dismissed',
  )
}
