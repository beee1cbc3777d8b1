import type { FastifyInstance } from 'fastify'
import { limitPageRequests } from '../http/limits/page-requests.ts'
import type { Authenticator } from '../http/routes/declaration.ts'
import { scopeOf } from '../http/routes/scopes.ts'
import type { AddAuthenticators, Module, RouteFile } from './module.ts'
import { createClaims } from './registry.ts'
import type { Needs } from './services.ts'

export interface LoadedModule extends Pick<Module, 'name' | 'tag' | 'scopes' | 'jobs'> {
  readonly routes: readonly RouteFile[]
  readonly pages: readonly RouteFile[]
  readonly fallbackRoutes: readonly RouteFile[]
  readonly authenticators: AddAuthenticators | undefined
}

/** Sequential: parallel `import()` calls take 10 MiB more. */
export async function loadModules(modules: readonly Module[]): Promise<readonly LoadedModule[]> {
  const loaded: LoadedModule[] = []
  for (const module of modules) {
    const routes = [(await module.routes?.()) ?? []].flat()
    const pages = [(await module.pages?.()) ?? []].flat()
    const fallbackRoutes = [(await module.fallbackRoutes?.()) ?? []].flat()
    const authenticators = await module.authenticators?.()
    await module.services?.() // preload for `loadServices`
    loaded.push({ ...module, routes, pages, fallbackRoutes, authenticators })
  }
  return loaded
}

/**
 * In the order of use. @throws Error if a scheme has two authenticators, or a module drops a given
 * authenticator
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
      // The first authenticator of a known scheme is the given authenticator or wraps it.
      if (known.has(scheme) && !isWrapped.has(scheme)) isWrapped.add(scheme)
      else claim('scheme', scheme, module.name)
    }
    const dropped = known.difference(isWrapped).values().next().value
    if (dropped) throw new Error(`the module ${module.name} drops the scheme ${dropped}`)
    all = next
  }
  return all
}

/** One Fastify context per module. @throws Error, at `ready`, for a duplicate route */
export function registerRoutes(
  app: FastifyInstance,
  modules: readonly LoadedModule[],
  needs: Needs,
): void {
  const claim = createClaims()
  const fallbacks = modules
    .filter(({ fallbackRoutes }) => fallbackRoutes.length > 0)
    .map((module) => ({ ...module, routes: module.fallbackRoutes, pages: [] }))
  for (const module of [...modules, ...fallbacks]) {
    const { name, pages, routes, tag } = module
    app.register(async (instance) => {
      instance.addHook('onRoute', (route) => {
        for (const method of [route.method].flat()) {
          if (method === 'HEAD') continue // copied from GET
          claim('route', `${method} ${route.url.replace(/:\w+/g, ':')}`, name)
        }
        route.config = { module: name, ...(tag !== undefined && { tag }), ...route.config }
        route.config.scope = scopeOf(route, module)
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
