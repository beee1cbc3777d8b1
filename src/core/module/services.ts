import type { Deps } from '../runtime/deps.ts'

/** The services that modules offer each other, without HTTP. */
// biome-ignore lint/suspicious/noEmptyInterface: each module declares its services in it
export interface Services {}

export type Needs = Deps & Services
