import type { FastifyInstance } from 'fastify'
import type { Accounts } from '../accounts/accounts.ts'
import { show } from '../accounts/admin-routes.ts'
import { accountNamed, assertNotOwn } from '../accounts/look-up.ts'
import { AccountBody, AccountName } from '../accounts/schemas.ts'
import { stillAllowed } from '../http/routes/still-allowed.ts'
import type { SchemaTypes } from '../http/schemas.ts'
import { role } from '../policy/rules.ts'
import type { SecondFactor } from './second-factor.ts'

/** DELETE /api/admin/accounts/{username}/second-factor: for whoever has lost device and codes. */
export interface FactorAdminOptions {
  readonly accounts: Pick<Accounts, 'byUsername'>
  readonly secondFactor: Pick<SecondFactor, 'reset'>
}

export async function factorAdminRoutes(
  instance: FastifyInstance,
  { accounts, secondFactor }: FactorAdminOptions,
): Promise<void> {
  const named = accountNamed(accounts)
  instance.withTypeProvider<SchemaTypes>().delete(
    '/api/admin/accounts/:username/second-factor',
    {
      config: {
        access: { rule: role('ADMIN') },
        resource: named,
        reauthentication: 'always',
      },
      schema: {
        summary: 'Take the second factor of an account away',
        params: AccountName,
        response: { 200: AccountBody },
      },
    },
    async (request) => {
      const account = named.of(request)
      assertNotOwn(request, account)
      await secondFactor.reset(account, stillAllowed(request))
      return show({ ...account, secondFactor: false })
    },
  )
}
