import type { Reason } from '../reasons/guards.ts'
import type { ModuleNames } from './module.ts'

/** Finds what a code means, in the registry of the service and those of external modules. */
export type LookUpReason = (code: string) => Promise<Reason>

/** Makes the look-up. The registry is loaded by the first question, not by the start. */
export function createLookUp(modules: readonly Pick<ModuleNames, 'reasons'>[]): LookUpReason {
  const others: Readonly<Record<string, Reason>> = Object.assign(
    {},
    ...modules.map(({ reasons }) => reasons ?? {}),
  )
  return async (code) => {
    const { reasons } = await import('../reasons/reasons.ts')
    const all: Readonly<Record<string, Reason>> = { ...others, ...reasons }
    return all[code] ?? unknownReason
  }
}

/** The reason of a code that another version of this program, or another module, has written. */
const unknownReason: Reason = {
  guard: 'service',
  explanation: 'This version of the program does not know the code: another one has written it.',
  facts: [],
}
