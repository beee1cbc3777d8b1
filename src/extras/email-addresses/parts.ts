import type { RoomParts } from '../../core/module/room.ts'
import { ownAccountPrefixes } from '../../core/policy/groups.ts'
import { type AccountEmailOptions, accountEmailRoutes } from './admin-routes.ts'
import { type OwnEmailOptions, ownEmailRoutes } from './own-routes.ts'
import { type VerificationOptions, verificationRoutes } from './public-routes.ts'

export type Needs = OwnEmailOptions & AccountEmailOptions & VerificationOptions

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    for (const prefix of ownAccountPrefixes) {
      await app.register(ownEmailRoutes, { prefix, ...needs })
    }
    await app.register(accountEmailRoutes, needs)
    await app.register(verificationRoutes, needs)
  },
}
