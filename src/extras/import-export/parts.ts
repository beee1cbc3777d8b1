import type { RoomParts } from '../../core/module/room.ts'
import { type TransferRoutesOptions, transferRoutes } from './routes.ts'

export type Needs = TransferRoutesOptions

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    await app.register(transferRoutes, needs)
  },

  jobs: ({ imports }) => [{ name: 'dead imports', purge: imports.purge }],
}
