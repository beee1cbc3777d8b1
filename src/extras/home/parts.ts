import { limitPageRequests } from '../../core/http/limits/page-requests.ts'
import { prefersPage } from '../../core/http/pages/negotiation.ts'
import type { RoomParts } from '../../core/module/room.ts'
import { languageRoutes } from './language-routes.ts'
import { type HomeOptions, homeRoutes } from './routes.ts'

export type Needs = HomeOptions

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    limitPageRequests(app, prefersPage) // programs get JSON
    await app.register(homeRoutes, needs)
    await app.register(languageRoutes)
  },
}
