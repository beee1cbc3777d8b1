import type { RouteOptions } from 'fastify'
import { collectRoutes } from '../http/documents/declared-routes.ts'
import { addFrames } from '../http/pages/frames.ts'
import { access } from '../http/routes/access.ts'
import { createServer } from '../http/server/server.ts'
import { authenticatorsOf, loadModules, registerRoutes } from '../module/serve.ts'
import type { Services } from '../module/services.ts'
import type { Deps } from '../runtime/deps.ts'
import type { CommandCall } from './command.ts'

/** The service's routes with guards and loaders, created in this process without a port. */
export async function routesOfService(
  { modules }: Pick<CommandCall, 'modules'>,
  deps: Deps,
  services: Services,
): Promise<readonly RouteOptions[]> {
  const loaded = await loadModules(modules)
  const wired = { ...deps, ...services }
  const server = await createServer(deps)
  await server.register(access, { ...deps, authenticators: authenticatorsOf(loaded, wired) })
  collectRoutes(server, deps.config)
  addFrames(server, deps.config)
  registerRoutes(server, loaded, wired)
  await server.ready()
  const { routes } = server.declared
  await server.close()
  return routes
}
