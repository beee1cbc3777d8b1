import type { FastifyInstance, RouteOptions } from 'fastify'
import type { Config } from '../../config/load.ts'

declare module 'fastify' {
  interface FastifyInstance {
    readonly declared: Declared
  }
}

/** Routes and settings of the documents. */
export interface Declared {
  readonly routes: readonly RouteOptions[]
  readonly config: Pick<Config, 'baseUrl' | 'http' | 'roles' | 'session'>
}

/** The code of the documents loads at first use. */
export function collectRoutes(app: FastifyInstance, config: Declared['config']): void {
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => {
    if (route.method !== 'HEAD') routes.push(route) // copies of GET
  })
  app.decorate('declared', { routes, config })
}
