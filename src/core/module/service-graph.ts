import type { HookName } from './hooks.ts'
import type { Module } from './module.ts'
import { createClaims } from './registry.ts'
import type { ModuleServices, Service, Subscription } from './service.ts'

export interface OfModule {
  readonly module: string
  readonly service: Service
}

export interface LoadedServices {
  readonly inOrder: readonly OfModule[]
  readonly inEachProcess: readonly string[]
  serviceOf(name: string): Service | undefined
  subscriptionsOf(point: HookName): readonly Subscribing[]
  /** Whether a name needs one of the services, also indirectly. */
  requires(names: readonly string[], services: ReadonlySet<Service>): boolean
}

interface Subscribing {
  readonly module: string
  readonly subscription: Subscription
}

/**
 * `given` are the names of the dependencies. @throws Error for a duplicate service, a missing
 * service or a cycle
 */
export async function loadServices(
  modules: readonly Module[],
  given: ReadonlySet<string>,
): Promise<LoadedServices> {
  const all: (ModuleServices & Pick<OfModule, 'module'>)[] = []
  for (const { name, services } of modules) all.push({ module: name, ...(await services?.()) })
  const inOrder = all.flatMap(({ module, services = [] }) =>
    services.map((service) => ({ module, service })),
  )
  const subscribing = all.flatMap(({ module, hooks = [] }) =>
    hooks.map((subscription) => ({ module, subscription })),
  )
  const claim = createClaims()
  const owners = new Map<string, OfModule>()
  for (const name of given) claim('service', name, 'core')
  for (const one of inOrder) {
    for (const name of one.service.makes) {
      claim('service', name, one.module)
      owners.set(name, one)
    }
  }
  const wanting = [
    ...inOrder.map(({ module, service }) => ({ module, needs: service.needs })),
    ...subscribing.map(({ module, subscription: { needs } }) => ({ module, needs })),
  ]
  for (const { module, needs } of wanting) {
    const missing = needs.find((name) => !given.has(name) && !owners.has(name))
    if (missing)
      throw new Error(`the module ${module} needs the service ${missing}, which no module makes`)
  }
  assertNoCycle(owners)
  const requires = (names: readonly string[], services: ReadonlySet<Service>): boolean =>
    names.some((name) => {
      const service = owners.get(name)?.service
      return service && (services.has(service) || requires(service.needs, services))
    })
  const byPoint = Map.groupBy(subscribing, ({ subscription }) => subscription.to)
  return {
    inOrder,
    inEachProcess: inOrder
      .filter(({ service }) => service.inEachProcess)
      .flatMap(({ service }) => service.makes),
    serviceOf: (name) => owners.get(name)?.service,
    subscriptionsOf: (point) => byPoint.get(point) ?? [],
    requires,
  }
}

/** @throws Error with the services and modules of the cycle */
function assertNoCycle(owners: ReadonlyMap<string, OfModule>): void {
  const done = new Set<Service>()
  const visit = (name: string, trail: readonly string[]): void => {
    const owner = owners.get(name)
    if (!owner || done.has(owner.service)) return
    const again = trail.findIndex((before) => owners.get(before)?.service === owner.service)
    if (again !== -1) {
      const cycle = [...trail.slice(again), name].map(
        (one) => `${one} (${owners.get(one)?.module})`,
      )
      throw new Error(`services need each other: ${cycle.join(' -> ')}`)
    }
    for (const need of owner.service.needs) visit(need, [...trail, name])
    done.add(owner.service)
  }
  for (const name of owners.keys()) visit(name, [])
}
