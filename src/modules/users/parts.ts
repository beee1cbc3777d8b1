import type { RoomParts } from '../../core/module/room.ts'
import { type UserRoutesOptions, userRoutes } from './routes.ts'

export type Needs = Omit<UserRoutesOptions, 'version' | 'idSuffix'>

export const parts: RoomParts<Needs> = {
  // Often, because changes that are not counted yet cost time at each page far behind.
  jobs: ({ users }) => [
    { name: 'counts of lists', everyMs: 1000, purge: users.countLists },
    { name: 'removed users', everyMs: 1000, purge: users.purgeRemoved },
  ],

  async routes(app, needs) {
    for (const [prefix, version, idSuffix] of [
      ['', 'v1', ''],
      ['/api/v1', 'v1', 'V1'],
      ['/api/v2', 'v2', 'V2'],
    ] as const) {
      await app.register(userRoutes, { prefix, version, idSuffix, ...needs })
    }
  },
}
