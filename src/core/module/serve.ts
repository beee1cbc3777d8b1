import type { FastifyInstance } from 'fastify'
import type { Authenticator } from '../http/routes/declaration.ts'
import type { Module } from './module.ts'
import { createClaims } from './registry.ts'
import type { Needs } from './services.ts'

/** A module whose code of the server is loaded. */
export interface LoadedModule extends Pick<Module, 'name' | 'tag' | 'jobs'> {
  readonly routes?: Loaded<Module['routes']>
  readonly fallbackRoutes?: Loaded<Module['fallbackRoutes']>
  readonly authenticators?: Loaded<Module['authenticators']>
}

type Loaded<Load extends Module['routes' | 'fallbackRoutes' | 'authenticators']> =
  | Awaited<ReturnType<NonNullable<Load>>>
  | undefined

/**
 * Loads the code of all modules for the server, at once: one module after another, each would wait
 * for files. Answers them in the order of the modules.
 */
export function loadModules(modules: readonly Module[]): Promise<readonly LoadedModule[]> {
  return Promise.all(
    modules.map(async (module) => {
      const [routes, fallbackRoutes, authenticators] = await Promise.all([
        module.routes?.(),
        module.fallbackRoutes?.(),
        module.authenticators?.(),
      ])
      return { ...module, routes, fallbackRoutes, authenticators }
    }),
  )
}

/**
 * Lists the authenticators of the modules, in the order in which they are tried.
 * @throws Error if a scheme has two authenticators, or if a module drops a given one
 */
export function authenticatorsOf(
  modules: readonly LoadedModule[],
  needs: Needs,
): readonly Authenticator[] {
  const claim = createClaims()
  let all: readonly Authenticator[] = []
  for (const module of modules) {
    if (!module.authenticators) continue
    const known = new Set(all.map(({ scheme }) => scheme))
    const next = module.authenticators(needs, all)
    const isWrapped = new Set<string>()
    for (const { scheme } of next) {
      // The first authenticator of a known scheme is the given one, or wraps it.
      if (known.has(scheme) && !isWrapped.has(scheme)) isWrapped.add(scheme)
      else claim('scheme', scheme, module.name)
    }
    const dropped = known.difference(isWrapped).values().next().value
    if (dropped) throw new Error(`the module ${module.name} drops the scheme ${dropped}`)
    all = next
  }
  return all
}

/**
 * Registers the routes of the modules, each module in its own Fastify context.
 * @throws Error, at `ready`, for a route that is registered twice
 */
export function registerRoutes(
  app: FastifyInstance,
  modules: readonly LoadedModule[],
  needs: Needs,
): void {
  const claim = createClaims()
  const plugins = [
    ...modules.map((module) => ({ ...module, plugin: module.routes })),
    ...modules.map((module) => ({ ...module, plugin: module.fallbackRoutes })),
  ]
  for (const { name, plugin, tag } of plugins) {
    if (!plugin) continue
    app.register(async (instance) => {
      instance.addHook('onRoute', (route) => {
        for (const method of [route.method].flat()) {
          if (method === 'HEAD') continue // a copy of its GET
          claim('route', `${method} ${route.url.replace(/:\w+/g, ':')}`, name)
        }
        route.config = { module: name, ...(tag !== undefined && { tag }), ...route.config }
      })
      await plugin(instance, needs)
    })
  }
}
