import type { Deps } from '../runtime/deps.ts'
import type { Hook, HookName, HookPoints } from './hooks.ts'
import type { Services } from './services.ts'

type ServiceName = keyof Services
type Made<Makes extends readonly ServiceName[]> = Pick<Services, Makes[number]>

// Without `NoInfer`, the names would be inferred from the function too, and a missing name would be
// no error.
type Given<
  Needed extends readonly ServiceName[],
  Called extends readonly HookName[] = readonly [],
> = Deps &
  Pick<Services, NoInfer<Needed>[number]> & {
    readonly [Name in NoInfer<Called>[number]]: Hook<HookPoints[Name]>
  }

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
  readonly needs?: Needed
  readonly makes: Makes
  readonly hooks?: Called
  /** Even if no other service needs these. */
  readonly inEachProcess?: true
  /** Must not emit events or write. */
  readonly create: (given: Given<Needed, Called>) => Made<Makes> | Promise<Made<Makes>>
  /** Stops background work. */
  readonly stop?: (made: Made<Makes> & Given<Needed>) => Promise<void>
  /** Writes pending data after all services have stopped. */
  readonly close?: (made: Made<Makes> & Given<Needed>) => Promise<void>
}

/** services.ts exports these in `services`. */
export function service<
  const Makes extends readonly ServiceName[],
  const Needed extends readonly ServiceName[] = readonly [],
  const Called extends readonly HookName[] = readonly [],
>(declared: Declared<Needed, Makes, Called>): Service {
  return { needs: [], hooks: [], inEachProcess: false, ...declared }
}

export interface Subscription {
  readonly to: HookName
  readonly needs: readonly ServiceName[]
  readonly create: (given: never) => unknown
}

/** services.ts exports these in `hooks`. */
export function hook<Name extends HookName, const Needed extends readonly ServiceName[]>(
  to: Name,
  needs: Needed,
  create: (given: Given<Needed>) => HookPoints[Name],
): Subscription {
  return { to, needs, create }
}

export interface ModuleServices {
  readonly services?: readonly Service[]
  readonly hooks?: readonly Subscription[]
}
