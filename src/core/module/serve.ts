import type { FastifyInstance } from 'fastify'
import { limitPageRequests } from '../http/limits/page-requests.ts'
import type { Authenticator } from '../http/routes/declaration.ts'
import type { AddAuthenticators, Module, RouteFile } from './module.ts'
import { createClaims } from './registry.ts'
import type { Needs } from './services.ts'

/** A module whose code of the server is loaded. */
export interface LoadedModule extends Pick<Module, 'name' | 'tag' | 'jobs'> {
  readonly routes: readonly RouteFile[]
  readonly pages: readonly RouteFile[]
  readonly fallbackRoutes: readonly RouteFile[]
  readonly authenticators: AddAuthenticators | undefined
}

/**
 * Loads the code of all modules for the server, in their order: one module after another, because
 * each `import()` walks all files behind the file, and the walks of all at once take 10 MiB.
 */
export async function loadModules(modules: readonly Module[]): Promise<readonly LoadedModule[]> {
  const loaded: LoadedModule[] = []
  for (const module of modules) {
    const routes = [(await module.routes?.()) ?? []].flat()
    const pages = [(await module.pages?.()) ?? []].flat()
    const fallbackRoutes = [(await module.fallbackRoutes?.()) ?? []].flat()
    const authenticators = await module.authenticators?.()
    await module.services?.() // `loadServices` gets the loaded file
    loaded.push({ ...module, routes, pages, fallbackRoutes, authenticators })
  }
  return loaded
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
  const fallbacks = modules
    .filter(({ fallbackRoutes }) => fallbackRoutes.length > 0)
    .map((module) => ({ ...module, routes: module.fallbackRoutes, pages: [] }))
  for (const { name, pages, routes, tag } of [...modules, ...fallbacks]) {
    app.register(async (instance) => {
      instance.addHook('onRoute', (route) => {
        for (const method of [route.method].flat()) {
          if (method === 'HEAD') continue // a copy of its GET
          claim('route', `${method} ${route.url.replace(/:\w+/g, ':')}`, name)
        }
        route.config = { module: name, ...(tag !== undefined && { tag }), ...route.config }
      })
      await registerFiles(instance, routes, needs)
      if (pages.length === 0) return
      await instance.register(async (limited) => {
        limitPageRequests(limited)
        await registerFiles(limited, pages, needs)
      })
    })
  }
}

async function registerFiles(
  app: FastifyInstance,
  files: readonly RouteFile[],
  needs: Needs,
): Promise<void> {
  for (const { routes, prefixes = [''] } of files) {
    for (const prefix of prefixes) {
      await app.register(async (context) => routes(context.withTypeProvider(), needs), { prefix })
    }
  }
}
