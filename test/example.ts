import type { Sinks } from '../src/core/events/events.ts'
import type { Headers, Someone, TestApp } from './app.ts'
import type { Surroundings } from './cli/gatehouse.ts'
import type { Device } from './factor.ts'

/** A valid request: what it has besides its method, and besides the proof of its caller. */
export interface Made {
  /** The parameters of the path. */
  readonly params?: Readonly<Record<string, string | number>>
  /** The address, where it is more than the path with its parameters. */
  readonly path?: string
  readonly json?: unknown
  readonly form?: Readonly<Record<string, string>>
  readonly lines?: string
  readonly headers?: Headers
  /** The service that answers the request, where it has settings of its own. */
  readonly app?: TestApp
}

/** Who sends a request. */
export interface Caller {
  readonly who: Someone
  /** The proof of the caller; empty for a caller without one. */
  readonly headers: Headers
  /** The second factor of the caller, for an example that needs one. */
  readonly device?: Device
}

/** Where requests are made: a service with the settings of all examples. */
export interface World {
  readonly app: TestApp
  /** The proof of the first administrator. */
  readonly admin: Headers
  /** What the service does with its events, for an example that starts another service. */
  readonly sinks: Sinks | undefined
  /** The owner of what the examples change. */
  readonly owner: Someone
  newName(): string
  newAddress(): string
  newAccount(more?: object): Promise<Someone>
  /** Answers what `make` makes of the service the first time. */
  once<T>(make: (app: TestApp) => Promise<T>): Promise<T>
}

export type Make = (world: World, caller: Caller) => Made | Promise<Made>

/** What a module says of a route of its own, for the tests that meet all routes. */
export type Example = Facts &
  (
    | {
        /** Makes a valid request anew, with all that it uses up. Absent: method, path and caller are enough. */
        readonly make?: Make
        /**
         * What the request needs besides any caller who may send it. `fresh`: a caller whom it may
         * change or end. `factor`: such a caller with a second factor.
         */
        readonly needs?: 'fresh' | 'factor'
      }
    /** It needs what a page or a provider has begun, for one browser alone. */
    | { readonly make: Make; readonly needs: 'flow' }
  )

interface Facts {
  /** The events that a success records, in any order. */
  readonly events?: readonly string[]
  /**
   * The status of a request without fields, about what does not exist, by a caller who may send it.
   * Absent: 404 for a path with parameters, otherwise 400 for a body, otherwise that of a success. Null:
   * such a request is a valid one.
   */
  readonly bare?: number | null
  /** The request ends the session that comes with it, or others of its caller. */
  readonly ends?: true
  /** The number of the transaction that commits the change, if not the first; null: none does. */
  readonly commit?: number | null
}

/**
 * The examples of a module: by operation id, which is for ever, or by `METHOD /path` for a route without
 * one. The first of several is the one of most tests; all of them record their events.
 */
export type Examples = Readonly<Record<string, Example | readonly [Example, ...Example[]]>>

/** Where commands run. */
export interface CommandWorld extends World {
  /** Runs a command; answers the events of the command, as lines of the log. */
  run(words: string, more?: Surroundings, directory?: string): Promise<object[]>
  /** Runs a command; answers its output. */
  output(words: string, more?: Surroundings): Promise<string>
}

/** What a module says of a command of its own. */
export interface CommandExample {
  /** The events that a success records, in their order. */
  readonly events?: readonly string[]
  /** Absent: the words of the command are enough. */
  readonly run?: (world: CommandWorld) => Promise<object[]>
}

export type CommandExamples = Readonly<Record<string, CommandExample>>

/** The examples of each of several routes that differ in their path: the suffixes of their names. */
const named =
  (...suffixes: readonly string[]) =>
  (examples: Examples): Examples =>
    Object.fromEntries(
      suffixes.flatMap((suffix) =>
        Object.entries(examples).map(([name, example]) => [`${name}${suffix}`, example]),
      ),
    )

/** The same example of a route that completes something, and of its former PUT. */
export const completing = (what: string, example: Example): Examples => ({
  [`complete${what}`]: example,
  [`finish${what}`]: example,
})

/** Routes of the own account, below both of its paths. */
export const belowBothAccounts = named('', 'AsUser')
/** Routes of users, by the versions of the API. */
export const inEachVersion = named('', 'V1', 'V2')

/** The proof of the person that the changes of the own account want. */
export const present = ({ who }: Caller) => ({ current_password: who.password })

/** A code of the caller's second factor that was not used before, and the proof of the person. */
export function presentWithCode(caller: Caller) {
  return { ...present(caller), recovery_code: caller.device?.recoveryCodes.shift() ?? '' }
}

/** The events among the lines of a log. */
export function eventsIn(log: string): object[] {
  const lines = log.split('\n').filter((one) => one.startsWith('{'))
  return lines.map((one) => JSON.parse(one)).filter(({ event }) => event)
}
