import type { Hook, HookName, HookPoints } from './hooks.ts'
import type { Needs, Services } from './services.ts'

type Need = keyof Needs
type ServiceName = keyof Services
type Made<Makes extends readonly ServiceName[]> = Pick<Services, Makes[number]>

// Without `NoInfer` the names would be inferred from the function too: a missing one would be no error.
type Given<Needed extends readonly Need[], Called extends readonly HookName[]> = Pick<
  Needs,
  NoInfer<Needed>[number]
> & { readonly [Name in NoInfer<Called>[number]]: Hook<HookPoints[Name]> }

type Ended<Needed extends readonly Need[], Makes extends readonly ServiceName[]> = Made<Makes> &
  Pick<Needs, NoInfer<Needed>[number]>

/** Services that one function makes. */
export interface Service {
  readonly needs: readonly Need[]
  readonly hooks: readonly HookName[]
  readonly makes: readonly ServiceName[]
  readonly inEachProcess: boolean
  readonly create: (given: never) => object
  readonly stop?: (made: never) => Promise<void>
  readonly close?: (made: never) => Promise<void>
  readonly closeMs?: number
}

interface Declared<
  Needed extends readonly Need[],
  Makes extends readonly ServiceName[],
  Called extends readonly HookName[],
> {
  /** The names of the dependencies and services that the function takes. */
  readonly needs: Needed
  readonly makes: Makes
  /** The hook points that these services call. */
  readonly hooks?: Called
  /** Also where no other service needs these. */
  readonly inEachProcess?: true
  /** Records no event, and writes nothing. */
  readonly create: (given: Given<Needed, Called>) => Made<Makes> | Promise<Made<Makes>>
  /** Ends the own work of these services: they begin nothing more. */
  readonly stop?: (made: Ended<Needed, Makes>) => Promise<void>
  /** Writes what these services hold in memory, when all services have stopped. */
  readonly close?: (made: Ended<Needed, Makes>) => Promise<void>
  /** How long `close` may take, where 2 seconds are too short. */
  readonly closeMs?: number
}

/** Declares services of a module, which services.ts exports in `services`. */
export function service<
  const Needed extends readonly Need[],
  const Makes extends readonly ServiceName[],
  const Called extends readonly HookName[] = readonly [],
>(declared: Declared<Needed, Makes, Called>): Service {
  return { hooks: [], inEachProcess: false, ...declared }
}

/** What a module does at a hook point. */
export interface Subscription {
  readonly to: HookName
  readonly needs: readonly Need[]
  readonly create: (given: never) => unknown
}

/** Subscribes to a hook point; services.ts exports the subscriptions of a module in `hooks`. */
export function hook<Name extends HookName, const Needed extends readonly Need[]>(
  to: Name,
  needs: Needed,
  create: (given: Given<Needed, readonly []>) => HookPoints[Name],
): Subscription {
  return { to, needs, create }
}

/** What a services.ts exports. */
export interface ModuleServices {
  readonly services?: readonly Service[]
  readonly hooks?: readonly Subscription[]
}
