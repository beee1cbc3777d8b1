import type { RoomParts } from '../../core/module/room.ts'
import { keepReasons } from './listen.ts'
import type { Refusals } from './refusals.ts'
import { type ExplainRoutesOptions, explainRoutes } from './routes.ts'

export type Needs = ExplainRoutesOptions &
  Parameters<typeof keepReasons>[1] & { readonly refusals: Refusals }

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    keepReasons(app, needs)
    await app.register(explainRoutes, needs)
  },

  jobs: ({ refusals }) => [
    { name: 'refusals', everyMs: 1000, inEachWorker: true, run: refusals.flush },
    { name: 'old refusals', purge: refusals.purge },
  ],
}
