import { useState } from 'preact/hooks'
import { keep, kept } from '../../kept.ts'
import { session } from '../../session/session.ts'
import { useLoad } from '../../use-load.ts'
import { type FirstStep, readSteps } from './first-steps.ts'
import { steps } from './parts.ts'
import type { Status } from './read.ts'
import { type StepNow, stateOf } from './step-states.ts'

export interface Steps {
  /** Null until all are read. */
  readonly states: readonly StepNow<FirstStep>[] | null
  dismiss(id: string): void
  /** Undoes `dismiss`. */
  restore(id: string): void
}

/** The first steps, and which of them the reader has dismissed: kept by this browser for the reader. */
export function useSteps(status: Status | null): Steps {
  const keptAs = `gatehouse-dismissed-steps:${session.value?.username ?? ''}`
  const [dismissed, setDismissed] = useState(() => kept(keptAs)?.split(' ') ?? [])
  // What the status says of the steps decides what else is asked.
  const key = status ? JSON.stringify(steps.map((step) => step.inStatus(status))) : ''
  const { data } = useLoad(key, async (signal) =>
    status ? readSteps(steps, status, signal) : null,
  )
  const change = (ids: readonly string[]) => {
    keep(keptAs, ids.length === 0 ? null : ids.join(' '))
    setDismissed([...ids])
  }
  return {
    states: data && steps.map((step) => ({ step, state: stateOf(data[step.id], dismissed, step) })),
    dismiss: (id) => change([...dismissed, id]),
    restore: (id) => change(dismissed.filter((one) => one !== id)),
  }
}
