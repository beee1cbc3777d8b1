import type { LoadedModule } from './serve.ts'
import type { Needs } from './services.ts'

/**
 * What modules add to the routes of others, by the place where it appears: a page, a list, an
 * answer. The module that has the place declares its type here by `declare module`, and knows none
 * of the modules that contribute.
 */
// biome-ignore lint/suspicious/noEmptyInterface: each module declares its places in it
export interface Contributions {}

/** Makes what a module contributes, at most one to each place. */
export type Contribute = (needs: Needs) => Partial<Contributions>

/** Answers what the modules contribute to a place, in the order of the modules. */
export type Contributed = <Place extends keyof Contributions>(
  place: Place,
) => readonly Contributions[Place][]

export function contributionsOf(modules: readonly LoadedModule[], needs: Needs): Contributed {
  const all = modules.flatMap(({ contributes }) => contributes?.(needs) ?? [])
  return (place) =>
    all.map((one) => one[place]).filter((contribution) => contribution !== undefined)
}
