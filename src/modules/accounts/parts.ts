import type { RoomParts } from '../../core/module/room.ts'
import { ownAccountPrefixes } from '../../core/policy/groups.ts'
import { type AccountRoutesOptions, accountAdminRoutes } from './admin-routes.ts'
import { type OwnAccountOptions, ownAccountRoutes } from './own-routes.ts'
import { passwordResetRoutes, type ResetRoutesOptions } from './reset-routes.ts'

export type Needs = OwnAccountOptions & AccountRoutesOptions & ResetRoutesOptions

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    for (const prefix of ownAccountPrefixes) {
      await app.register(ownAccountRoutes, { prefix, ...needs })
    }
    await app.register(accountAdminRoutes, needs)
    await app.register(passwordResetRoutes, needs)
  },
}
