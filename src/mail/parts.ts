import { ownAccountPrefixes } from '../policy/groups.ts'
import type { RoomParts } from '../room/room.ts'
import type { Devices } from './devices.ts'
import { type NoticeRoutesOptions, noticeRoutes } from './notice-routes.ts'
import type { Notices } from './notices.ts'

export type Needs = NoticeRoutesOptions & {
  readonly devices: Devices
  readonly notices: Notices
}

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    for (const prefix of ownAccountPrefixes) {
      await app.register(noticeRoutes, { prefix, ...needs })
    }
  },

  jobs: ({ devices, notices }) => [
    { name: 'notices', purge: notices.purge },
    { name: 'known devices', purge: devices.purge },
  ],
}
