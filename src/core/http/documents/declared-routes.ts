import type { FastifyInstance, RouteOptions } from 'fastify'
import type { Config } from '../../config/load.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** What the documents are made of. */
    readonly declared: Declared
  }
}

/** The routes of a server, and the settings that their documents depend on. */
export interface Declared {
  readonly routes: readonly RouteOptions[]
  readonly config: Pick<Config, 'baseUrl' | 'http' | 'roles' | 'session'>
}

/**
 * Collects the routes that are registered after this call. The documents that are made of them are
 * of the running configuration, and their code is loaded by the first request or command for one.
 */
export function collectRoutes(app: FastifyInstance, config: Declared['config']): void {
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => {
    if (route.method !== 'HEAD') routes.push(route) // HEAD routes are copies of their GET
  })
  app.decorate('declared', { routes, config })
}
