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

/** One Fastify context per file and prefix. @throws Error, at `ready`, for a duplicate route */
export function registerRoutes(
  app: FastifyInstance,
  modules: readonly LoadedModule[],
  needs: Needs,
): void {
  const claim = createClaims()
  const register = (module: LoadedModule, files: readonly RouteFile[], isPage = false) => {
    const { name, tag } = module
    for (const { routes, prefixes = [''] } of files) {
      const context = async (instance: FastifyInstance) => {
        instance.addHook('onRoute', (route) => {
          for (const method of [route.method].flat()) {
            if (method === 'HEAD') continue // copied from GET
            claim('route', `${method} ${route.url.replace(/:\w+/g, ':')}`, name)
          }
          route.config = { module: name, ...(tag !== undefined && { tag }), ...route.config }
          route.config.scope = scopeOf(route, module)
        })
        if (isPage) limitPageRequests(instance)
        await routes(instance.withTypeProvider(), needs)
      }
      // Without a name, Fastify compares the function with all modules of the process.
      Object.assign(context, { [Symbol.for('fastify.display-name')]: name })
      for (const prefix of prefixes) app.register(context, { prefix })
    }
  }
  for (const module of modules) {
    register(module, module.routes)
    register(module, module.pages, true)
  }
  for (const module of modules) register(module, module.fallbackRoutes)
}
