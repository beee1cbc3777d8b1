import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Accounts } from '../accounts/accounts.ts'
import { shownWith } from '../accounts/admin-routes.ts'
import { accountNamed, assertNotOwn } from '../accounts/look-up.ts'
import { AccountName, accountSchemas } from '../accounts/schemas.ts'
import type { Config } from '../config/load.ts'
import { assertRecentLogin } from '../http/routes/reauthentication.ts'
import { stillAllowed } from '../http/routes/still-allowed.ts'
import type { SchemaTypes } from '../http/schemas.ts'
import type { Clock } from '../kernel/clock.ts'
import { role } from '../policy/rules.ts'
import type { SecondFactor } from './second-factor.ts'

/** DELETE /api/admin/accounts/{username}/second-factor: for whoever has lost device and codes. */
export interface FactorAdminOptions {
  readonly config: Pick<Config, 'login' | 'roles'>
  readonly clock: Clock
  readonly accounts: Pick<Accounts, 'byUsername'>
  readonly secondFactor: Pick<SecondFactor, 'reset'>
}

export async function factorAdminRoutes(
  instance: FastifyInstance,
  { accounts, clock, config, secondFactor }: FactorAdminOptions,
): Promise<void> {
  const { AccountBody } = accountSchemas(config.roles)
  const show = shownWith(config.roles)
  instance.withTypeProvider<SchemaTypes>().delete(
    '/api/admin/accounts/:username/second-factor',
    {
      config: {
        access: { rule: role('ADMIN') },
        errors: ['accountNotFound', 'recentLoginRequired'],
      },
      onRequest: async (request: FastifyRequest) => assertRecentLogin(request, config, clock),
      schema: {
        summary: 'Take the second factor of an account away',
        params: AccountName,
        response: { 200: AccountBody },
      },
    },
    async (request) => {
      const account = await accountNamed(accounts, request.params.username)
      assertNotOwn(request, account)
      await secondFactor.reset(account, stillAllowed(request))
      return show({ ...account, secondFactor: false })
    },
  )
}
