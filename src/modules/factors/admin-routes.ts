import { reauthorize } from '../../core/http/changes/reauthorize.ts'
import type { App } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { role } from '../../core/policy/rules.ts'
import { shownWith } from '../accounts/admin-routes.ts'
import { accountNamed, assertNotOwn } from '../accounts/look-up.ts'
import { AccountName, accountSchemas } from '../accounts/schemas.ts'

/** For a user who has lost all factors and the recovery codes. */
export async function routes(app: App, { accounts, config, factors }: Needs): Promise<void> {
  const { AccountBody } = accountSchemas(config.roles)
  const show = shownWith(config.roles)
  const named = accountNamed(accounts)
  app.delete(
    '/api/admin/accounts/:username/second-factor',
    {
      config: {
        tag: 'Administration of accounts',
        access: { rule: role('ADMIN') },
        resource: named,
        reauthentication: 'always',
      },
      schema: {
        operationId: 'removeSecondFactor',
        summary: 'Take the second factor of an account away',
        params: AccountName,
        response: { 200: AccountBody },
      },
    },
    async (request) => {
      const account = named.of(request)
      assertNotOwn(request, account)
      await factors.remove(account, { guard: reauthorize(request) })
      return show({ ...account, secondFactor: false })
    },
  )
}
