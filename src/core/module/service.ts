import type { Deps } from '../runtime/deps.ts'
import type { Hook, HookName, HookPoints } from './hooks.ts'
import type { Services } from './services.ts'

type ServiceName = keyof Services
type Made<Makes extends readonly ServiceName[]> = Pick<Services, Makes[number]>

// Without `NoInfer` the names would be inferred from the function too: a missing one would be no error.
type Given<
  Needed extends readonly ServiceName[],
  Called extends readonly HookName[] = readonly [],
> = Deps &
  Pick<Services, NoInfer<Needed>[number]> & {
    readonly [Name in NoInfer<Called>[number]]: Hook<HookPoints[Name]>
  }

/** Services that one function makes. */
export interface Service {
  readonly needs: readonly ServiceName[]
  readonly hooks: readonly HookName[]
  readonly makes: readonly ServiceName[]
  readonly inEachProcess: boolean
  readonly create: (given: never) => object
  readonly stop?: (made: never) => Promise<void>
  readonly close?: (made: never) => Promise<void>
}

interface Declared<
  Needed extends readonly ServiceName[],
  Makes extends readonly ServiceName[],
  Called extends readonly HookName[],
> {
  /** The names of the services that the function takes, besides the dependencies. */
  readonly needs?: Needed
  readonly makes: Makes
  /** The hook points that these services call. */
  readonly hooks?: Called
  /** Also where no other service needs these. */
  readonly inEachProcess?: true
  /** Records no event, and writes nothing. */
  readonly create: (given: Given<Needed, Called>) => Made<Makes> | Promise<Made<Makes>>
  /** Ends the own work of these services: they begin nothing more. */
  readonly stop?: (made: Made<Makes> & Given<Needed>) => Promise<void>
  /** Writes what these services hold in memory, when all services have stopped. */
  readonly close?: (made: Made<Makes> & Given<Needed>) => Promise<void>
}

/** Declares services of a module, which services.ts exports in `services`. */
export function service<
  const Makes extends readonly ServiceName[],
  const Needed extends readonly ServiceName[] = readonly [],
  const Called extends readonly HookName[] = readonly [],
>(declared: Declared<Needed, Makes, Called>): Service {
  return { needs: [], hooks: [], inEachProcess: false, ...declared }
}

/** What a module does at a hook point. */
export interface Subscription {
  readonly to: HookName
  readonly needs: readonly ServiceName[]
  readonly create: (given: never) => unknown
}

/** Subscribes to a hook point; services.ts exports the subscriptions of a module in `hooks`. */
export function hook<Name extends HookName, const Needed extends readonly ServiceName[]>(
  to: Name,
  needs: Needed,
  create: (given: Given<Needed>) => HookPoints[Name],
): Subscription {
  return { to, needs, create }
}

/** What a services.ts exports. */
export interface ModuleServices {
  readonly services?: readonly Service[]
  readonly hooks?: readonly Subscription[]
}
