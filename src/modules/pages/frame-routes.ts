import type { FastifyInstance } from 'fastify'
import { limitPageRequests } from '../../core/http/limits/page-requests.ts'
import { warningOfPages } from '../../core/http/pages/built.ts'
import { frameAssets } from '../../core/http/pages/frame-assets.ts'
import { prefersPage } from '../../core/http/pages/negotiation.ts'
import type { Needs } from '../../core/module/services.ts'
import { languageRoutes } from './language-routes.ts'

export async function routes(app: FastifyInstance, { workers }: Needs): Promise<void> {
  limitPageRequests(app, prefersPage)
  frameAssets.routes(app)
  await app.register(languageRoutes)
  app.addHook('onListen', async () => {
    const warning = workers.index === 0 ? warningOfPages() : null
    if (warning !== null) app.log.warn(warning)
  })
}
