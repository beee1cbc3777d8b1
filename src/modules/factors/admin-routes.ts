import { reauthorize } from '../../core/http/changes/reauthorize.ts'
import { type App, Message } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { role } from '../../core/policy/rules.ts'
import { accountNamed, assertNotOwn } from '../accounts/look-up.ts'
import { AccountName, accountSchemas } from '../accounts/schemas.ts'
import { shownWith } from '../accounts/show-account.ts'
import { secondFactorNotFound } from './problems.ts'
import { FactorList, showFactor } from './schemas.ts'

const tag = 'Administration of accounts'
const access = { rule: role('ADMIN') }

const FactorOfAccount = {
  type: 'object',
  required: ['username', 'id'],
  properties: {
    ...AccountName.properties,
    id: { type: 'string', description: 'The `id` of a listed factor', examples: ['totp'] },
  },
} as const

/** For a user who has lost all factors and the recovery codes. */
export async function routes(app: App, { accounts, config, factors }: Needs): Promise<void> {
  const { AccountBody } = accountSchemas(config.roles)
  const show = shownWith(config.roles)
  const named = accountNamed(accounts)
  app.delete(
    '/api/admin/accounts/:username/second-factor',
    {
      config: {
        ...{ tag, access, resource: named },
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

  app.get(
    '/api/admin/accounts/:username/factors',
    {
      config: { tag, access, resource: named },
      schema: {
        operationId: 'listFactors',
        summary: 'The second factors of an account, the oldest first',
        params: AccountName,
        response: { 200: FactorList },
      },
    },
    async (request) => (await factors.of(named.of(request).userId)).map(showFactor),
  )

  app.delete(
    '/api/admin/accounts/:username/factors/:id',
    {
      config: {
        ...{ tag, access, resource: named },
        reauthentication: 'always',
        errors: [secondFactorNotFound],
        examples: { answer: { message: 'Second factor removed' } },
      },
      schema: {
        operationId: 'removeFactor',
        summary: 'Take one second factor of an account away; all its logins end',
        params: FactorOfAccount,
        response: { 200: Message },
      },
    },
    async (request) => {
      const account = named.of(request)
      assertNotOwn(request, account)
      const { id } = request.params
      await factors.remove(account, { id, guard: reauthorize(request) })
      return { message: 'Second factor removed' }
    },
  )
}
