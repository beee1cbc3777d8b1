import type { Deps } from '../runtime/deps.ts'

/** The services that the modules offer each other: all of the program except HTTP. */
// biome-ignore lint/suspicious/noEmptyInterface: each module declares its services in it
export interface Services {}

/** What the functions of a module get: see `Module`. */
export type Needs = Deps & Services
