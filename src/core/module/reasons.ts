import type { Reason } from '../reasons/types.ts'
import type { ModuleNames } from './module.ts'
import { assertDistinctReasons } from './registry.ts'

/** Finds what a code means. */
export type LookUpReason = (code: string) => Promise<Reason>

/** Makes the look-up in the reasons of the modules, which the first question loads. */
export function createLookUp(modules: readonly ModuleNames[]): LookUpReason {
  let reasons: Promise<ReadonlyMap<string, Reason>> | undefined
  return async (code) => {
    reasons ??= assertDistinctReasons(modules)
    return (await reasons).get(code) ?? unknownReason
  }
}

/** The reason of a code that another version of this program, or another module, has written. */
const unknownReason: Reason = {
  guard: 'service',
  explanation: 'This version of the program does not know the code: another one has written it.',
}
