import { ApiError } from '../../core/errors.ts'
import { reauthorize } from '../../core/http/changes/reauthorize.ts'
import { resource } from '../../core/http/changes/resource.ts'
import { numberedPage } from '../../core/http/lists/paging.ts'
import { type App, listQuery, Message } from '../../core/http/schemas.ts'
import { isoTimeOrNull } from '../../core/lib/clock.ts'
import type { Needs } from '../../core/module/services.ts'
import { role } from '../../core/policy/rules.ts'
import { accountNamed } from '../../modules/accounts/look-up.ts'
import { AccountName } from '../../modules/accounts/schemas.ts'
import type { ListedClient } from '../../modules/clients/clients.ts'
import { clientNotFound } from '../../modules/clients/problems.ts'
import { ClientId } from '../../modules/clients/schemas.ts'
import { namedAccessesOf, withdraw } from './access.ts'
import { peopleOf } from './people.ts'
import { AccessList, AccessOfAccount, AccountPage } from './schemas.ts'

const path = '/api/admin/accounts/:username/applications'
const tag = 'Administration of accounts'
const access = { rule: role('ADMIN') }
const maxPerPage = 1000

/** The applications of an account and the accounts of an application; also with PROVIDER=off. */
export async function routes(app: App, needs: Needs): Promise<void> {
  const { accounts, clients, clock, db } = needs
  const named = accountNamed(accounts)
  const client = resource<ListedClient>({
    param: 'id',
    missing: clientNotFound,
    load: (id) => clients.listed(id),
  })

  app.get(
    path,
    {
      config: { tag, access, resource: named },
      schema: {
        operationId: 'listApplicationsOfAccount',
        summary: 'The applications that have access to an account',
        params: AccountName,
        response: { 200: AccessList },
      },
    },
    async (request) => {
      const accesses = await namedAccessesOf(needs, named.of(request).userId)
      return accesses.map(({ client: id, givenAt, isOffline, name, scopes }) => ({
        ...{ client: id, name, scopes: [...scopes], offline: isOffline },
        given_at: isoTimeOrNull(givenAt),
      }))
    },
  )

  app.delete(
    `${path}/:client`,
    {
      config: {
        ...{ tag, access, resource: named, errors: [clientNotFound] },
        examples: { answer: { message: 'Access withdrawn' } },
      },
      schema: {
        operationId: 'withdrawApplicationOfAccount',
        summary: 'Withdraw the access of an application to an account: its tokens end',
        params: AccessOfAccount,
        response: { 200: Message },
      },
    },
    async (request) => {
      const { client: id } = request.params
      const of = { userId: named.of(request).userId, client: id }
      if (await withdraw(needs, of, reauthorize(request))) return { message: 'Access withdrawn' }
      throw new ApiError(clientNotFound, {
        reason: { code: 'application_unknown', facts: { client: id } },
      })
    },
  )

  app.get(
    '/api/admin/clients/:id/accounts',
    {
      config: {
        ...{ access, resource: client, params: ClientId },
        ...{ query: listQuery(maxPerPage) },
      },
      schema: {
        operationId: 'listAccountsOfClient',
        summary: 'One page of the accounts that an application has access to',
        response: { 200: AccountPage },
      },
    },
    (request) =>
      numberedPage(
        request.query,
        maxPerPage,
        peopleOf(db, client.of(request).id, clock.now()),
        ({ givenAt, scopes, userId, username }) => ({
          ...{ user_id: userId, username, scopes: [...scopes] },
          given_at: isoTimeOrNull(givenAt),
        }),
      ),
  )
}
