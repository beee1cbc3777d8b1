import { fileBeside, type Room } from '../room/room.ts'
import type { AccountRoutesOptions } from './admin-routes.ts'
import type { OwnAccountOptions } from './own-routes.ts'
import type { ResetRoutesOptions } from './reset-routes.ts'

export const room: Room<OwnAccountOptions & AccountRoutesOptions & ResetRoutesOptions> = {
  name: 'accounts',
  tables: [
    {
      name: 'accounts',
      key: ['user_id'],
      person: { column: 'user_id', gone: 'removed' },
      blank: ['import_id', 'import_line'],
      present: async () => (await import('../database/staged.ts')).isPresentAccount,
    },
    {
      name: 'token_versions',
      key: ['user_id'],
      person: { column: 'user_id', gone: 'removed' },
    },
  ],
  methods: [{ name: 'password', amr: ['pwd'] }],
  events: fileBeside(import.meta.url, './events'),
  errors: ['accountNotFound', 'usernameExists', 'userHasAccount', 'lastAdministrator'],
  settings: ['ADMIN_USERNAME', 'ADMIN_PASSWORD', 'LOGIN_LOCK_AFTER', 'LOGIN_LOCK_SECONDS'],
  commands: [
    {
      names: ['account add', 'account list'],
      file: fileBeside(import.meta.url, '../cli/commands/accounts'),
    },
    {
      names: [
        'account roles',
        'account lock',
        'account unlock',
        'account disable',
        'account enable',
        'account password',
        'account reset-factor',
      ],
      file: fileBeside(import.meta.url, '../cli/commands/account-changes'),
    },
  ],

  async routes(app, needs) {
    const { ownAccountPrefixes } = await import('../policy/groups.ts')
    const { ownAccountRoutes } = await import('./own-routes.ts')
    const { accountAdminRoutes } = await import('./admin-routes.ts')
    const { passwordResetRoutes } = await import('./reset-routes.ts')
    for (const prefix of ownAccountPrefixes) {
      await app.register(ownAccountRoutes, { prefix, ...needs })
    }
    await app.register(accountAdminRoutes, needs)
    await app.register(passwordResetRoutes, needs)
  },
}
