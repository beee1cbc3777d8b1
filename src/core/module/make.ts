import { migrate } from '../database/migrate.ts'
import type { Clock } from '../lib/clock.ts'
import type { Deps } from '../runtime/deps.ts'
import { type Closing, closingOf } from './closing.ts'
import type { HookName, HookPoints } from './hooks.ts'
import type { Module } from './module.ts'
import { createLookUp, type LookUpReason } from './reasons.ts'
import { assertDistinct, assertDistinctEvents, type KnownEvent } from './registry.ts'
import type { Service } from './service.ts'
import { type LoadedServices, loadServices } from './service-graph.ts'
import type { Services } from './services.ts'

declare module './services.ts' {
  interface Services {
    readonly modules: readonly Module[]
    readonly knownEvents: readonly KnownEvent[]
    readonly lookUpReason: LookUpReason
    /** False for the command line. */
    readonly isServer: boolean
  }
}

export interface ServiceMaker {
  /** Also makes their dependencies; each service once. */
  make<const Names extends readonly (keyof Services)[]>(
    names: Names,
  ): Promise<Pick<Services, Names[number]>>
  all(): Promise<Services>
  /** Excludes services made later. */
  closing(clock?: Clock): Closing
}

export interface MakerOptions {
  readonly modules: readonly Module[]
  /** See `Services`. If false, schema and keys stay unchanged. */
  readonly isServer?: boolean
}

/**
 * Migrates the database. @throws Error for duplicate names, unresolvable services, or an outdated
 * schema in a process that does not serve
 */
export async function createServiceMaker(
  deps: Deps,
  { modules, isServer = true }: MakerOptions,
): Promise<ServiceMaker> {
  assertDistinct(modules)
  const knownEvents = await assertDistinctEvents(modules)
  const lookUpReason = createLookUp(modules)
  const given = { ...deps, modules, knownEvents, lookUpReason, isServer }
  const loaded = await loadServices(modules, new Set(Object.keys(given)))
  await migrate(deps.db, deps.clock, { mayChange: isServer, modules })
  return makerOf(loaded, given)
}

type Given = Deps & Pick<Services, 'modules' | 'knownEvents' | 'lookUpReason' | 'isServer'>

interface Subscribed {
  readonly module: string
  readonly subscriber: unknown
}

function makerOf(loaded: LoadedServices, given: Given): ServiceMaker {
  const made: Record<string, unknown> = { ...given }
  const done = new Set<Service>()
  const underWay = new Set<Service>()
  const subscribers = new Map<HookName, Subscribed[]>()
  const late = new Set<HookName>()

  async function make(name: string): Promise<void> {
    const service = loaded.serviceOf(name)
    if (!service || done.has(service)) return
    underWay.add(service)
    for (const need of service.needs) await make(need)
    for (const point of service.hooks) await subscribe(point)
    const hooks = service.hooks.map((point) => [point, subscribersOf(point)])
    Object.assign(
      made,
      await service.create(taking({ ...pick(service.needs), ...Object.fromEntries(hooks) })),
    )
    underWay.delete(service)
    done.add(service)
  }

  /** Before the caller of the hook point, unless a subscriber needs the caller: then at the end. */
  async function subscribe(point: HookName): Promise<void> {
    const list = subscribersOf(point)
    const subscriptions = loaded.subscriptionsOf(point)
    if (list.length === subscriptions.length) return
    const needs = subscriptions.flatMap(({ subscription }) => subscription.needs)
    if (loaded.requires(needs, underWay)) {
      late.add(point)
      return
    }
    for (const need of needs) await make(need)
    if (list.length > 0) return // a service above has subscribed
    for (const { module, subscription } of subscriptions) {
      const subscriber = subscription.create(taking(pick(subscription.needs)))
      list.push({ module, subscriber })
    }
  }

  function subscribersOf(point: HookName): Subscribed[] {
    const list = subscribers.get(point) ?? []
    subscribers.set(point, list)
    return list
  }

  const pick = (names: readonly string[]) => ({
    ...given,
    ...Object.fromEntries(names.map((name) => [name, made[name]])),
  })
  const taking = (object: object) => object as never // checked by `service` and `hook`

  async function makeAll(names: readonly string[]): Promise<void> {
    for (const name of names) await make(name)
    await subscribe('onEvent')
    for (const point of late) {
      late.delete(point)
      await subscribe(point)
    }
    given.events.inside(
      subscribersOf('onEvent').map(({ subscriber }) => subscriber as HookPoints['onEvent']),
    )
  }

  return {
    async make(names) {
      await makeAll([...loaded.inEachProcess, ...names])
      return made as unknown as Services
    },
    async all() {
      await makeAll(loaded.inOrder.flatMap(({ service }) => service.makes))
      return made as unknown as Services
    },
    closing({ wait } = given.clock) {
      const services = loaded.inOrder.filter(({ service }) => done.has(service))
      return closingOf(services, made, { wait, log: given.log })
    },
  }
}
