import type { RoomParts } from '../../core/module/room.ts'
import { ownAccountPrefixes } from '../../core/policy/groups.ts'
import { type AccountDetailsOptions, accountDetailsRoutes } from './admin-routes.ts'
import type { AccountDeletion } from './deletion.ts'
import { type OwnDataOptions, ownDataRoutes } from './own-routes.ts'
import { type OwnDataPagesOptions, ownDataPages } from './pages.ts'

export type Needs = AccountDetailsOptions &
  OwnDataOptions &
  OwnDataPagesOptions & { readonly accountDeletion: AccountDeletion }

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    for (const prefix of ownAccountPrefixes) {
      await app.register(ownDataRoutes, { prefix, ...needs })
    }
    await app.register(ownDataPages, needs)
    await app.register(accountDetailsRoutes, needs)
  },

  jobs: ({ accountDeletion }) => [{ name: 'account deletions', purge: accountDeletion.eraseDue }],
}
