import type { RoomParts } from '../room/room.ts'
import { type UserRoutesOptions, userRoutes } from './routes.ts'

export type Needs = Omit<UserRoutesOptions, 'version'>

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    for (const [prefix, version] of [
      ['', 'v1'],
      ['/api/v1', 'v1'],
      ['/api/v2', 'v2'],
    ] as const) {
      await app.register(userRoutes, { prefix, version, ...needs })
    }
  },
}
