import { reauthorize } from '../../core/http/changes/reauthorize.ts'
import { positiveInteger } from '../../core/http/lists/paging.ts'
import { type App, Message } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { role } from '../../core/policy/rules.ts'
import { accountNamed, assertNotOwn } from '../accounts/look-up.ts'
import { AccountName } from '../accounts/schemas.ts'
import { identityAbsent } from './identities.ts'
import { identityNotFound } from './problems.ts'
import { IdentityId, IdentityList, identityView } from './schemas.ts'

const tag = 'Administration of accounts'
const access = { rule: role('ADMIN') }

/** Linking requires a sign-in at the provider. */
export async function routes(app: App, { accounts, identities, providers }: Needs): Promise<void> {
  const named = accountNamed(accounts)

  app.get(
    '/api/admin/accounts/:username/identities',
    {
      config: { tag, access, resource: named },
      schema: {
        operationId: 'listIdentities',
        summary: 'Identities of providers that sign in to an account',
        params: AccountName,
        response: { 200: IdentityList },
      },
    },
    async (request) => {
      const linked = await identities.of(named.of(request).userId)
      return linked.map((identity) => identityView(identity, providers))
    },
  )

  app.delete(
    '/api/admin/accounts/:username/identities/:id',
    {
      config: {
        tag,
        access,
        resource: named,
        reauthentication: 'always',
        params: {
          type: 'object',
          required: AccountName.required,
          properties: { ...AccountName.properties, ...IdentityId.properties },
        },
        errors: [identityNotFound],
        examples: { answer: { message: 'Identity unlinked' } },
      },
      schema: {
        operationId: 'removeIdentity',
        summary: 'Unlink an identity of an account: it signs in no more; sessions and tokens go on',
        response: { 200: Message },
      },
    },
    async (request) => {
      const account = named.of(request)
      assertNotOwn(request, account)
      const id = positiveInteger((request.params as { id?: unknown }).id)
      if (id === null) throw identityAbsent()
      await identities.unlink(account.userId, id, reauthorize(request))
      return { message: 'Identity unlinked' }
    },
  )
}
