import type { FastifyInstance } from 'fastify'
import type { Accounts } from '../accounts/accounts.ts'
import { show } from '../accounts/admin-routes.ts'
import { AccountBody, AccountName } from '../accounts/schemas.ts'
import type { SchemaTypes } from '../http/schemas.ts'
import { ApiError } from '../kernel/errors.ts'
import { canonicalUsername } from '../kernel/username.ts'
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
  instance.withTypeProvider<SchemaTypes>().delete(
    '/api/admin/accounts/:username/second-factor',
    {
      config: { access: { rule: role('ADMIN') }, errors: ['accountNotFound'] },
      schema: {
        summary: 'Take the second factor of an account away',
        params: AccountName,
        response: { 200: AccountBody },
      },
    },
    async (request) => {
      const username = canonicalUsername(request.params.username)
      const account = username && (await accounts.byUsername(username))
      if (!account) throw new ApiError('accountNotFound')
      await secondFactor.reset(account)
      return show({ ...account, secondFactor: false })
    },
  )
}
