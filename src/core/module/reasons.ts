import type { Reason } from '../reasons/types.ts'
import type { ModuleNames } from './module.ts'
import { assertDistinctReasons } from './registry.ts'

export type LookUpReason = (code: string) => Promise<Reason>

/** Loads the reasons on first use. */
export function createLookUp(modules: readonly ModuleNames[]): LookUpReason {
  let reasons: Promise<ReadonlyMap<string, Reason>> | undefined
  return async (code) => {
    reasons ??= assertDistinctReasons(modules)
    return (await reasons).get(code) ?? unknownReason
  }
}

/** For codes of other versions or modules. */
const unknownReason: Reason = {
  guard: 'service',
  explanation: 'This version of the program does not know the code: another one has written it.',
}
