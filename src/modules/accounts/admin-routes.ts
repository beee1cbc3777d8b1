import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { refuseField } from '../../core/errors.ts'
import { fewFieldsBytes, textIn } from '../../core/http/bodies/bodies.ts'
import { assertNoFaults } from '../../core/http/bodies/faults.ts'
import { tagged } from '../../core/http/changes/entity-tag.ts'
import { goneMeanwhile, preconditionFailed } from '../../core/http/changes/resource.ts'
import { numberedPage, type Query } from '../../core/http/lists/paging.ts'
import { contentTypes, mediaTypes } from '../../core/http/media-types.ts'
import { assertRecentLogin } from '../../core/http/routes/reauthentication.ts'
import type { App } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { role } from '../../core/policy/rules.ts'
import { assertPlausiblePassword } from '../passwords/rules.ts'
import { fieldChecks, storeOf, withFields } from './account-field.ts'
import { asksForAccounts, parseAccountListQuery } from './list-query.ts'
import { accountListSchemas, showPage } from './list-schemas.ts'
import { accountNamed, assertNotOwn, ownSession } from './look-up.ts'
import { assertMayAppoint, assertMayDismiss } from './new-administrator.ts'
import {
  assertFieldOfService,
  knownRoles,
  parseRoles,
  parseServiceUser,
  parseUser,
  parseUsername,
} from './parse.ts'
import { userHasAccount } from './problems.ts'
import { AccountName, accountSchemas } from './schemas.ts'
import { shownWith } from './show-account.ts'

const access = { rule: role('ADMIN') }
const maxPerPage = 1000

type NamedBody = { readonly username: string; readonly name?: string }

export async function routes(app: App, options: Needs): Promise<void> {
  const { accountFields, accountList, accounts, clock, config, idempotency } = options
  const { AccountBody, CreateAccount, UpdateAccount } = accountSchemas(config.roles)
  const { AccountAnswer, accountQuery } = accountListSchemas(config.roles)
  const fields = accountFields()
  const show = shownWith(config.roles)
  const named = accountNamed(accounts, show)
  // The schemas have checked the types.
  const checkRoles = ({ roles }: { readonly roles?: unknown }) =>
    roles !== undefined && parseRoles(roles as readonly string[], config.roles)
  const checkPassword = (body: Readonly<Record<string, unknown>>) => {
    if (body.password === undefined) return
    const email = textIn(body, 'email')
    const owner = {
      username: textIn(body, 'username'),
      email: email.includes('@') ? email : undefined,
    }
    assertPlausiblePassword({ text: textIn(body, 'password'), field: 'password', ...owner }, config)
  }

  app.get(
    '/api/admin/accounts',
    {
      config: {
        access,
        query: accountQuery(maxPerPage),
        answers: { 200: { [mediaTypes.json]: AccountAnswer } },
        errors: ['validationFailed'],
      },
      schema: {
        operationId: 'listAccounts',
        summary: 'One page of accounts: by number, or by filters, an order and a cursor',
      },
    },
    async (request, reply) => {
      const query = request.query as Query
      reply.header('content-type', contentTypes.json)
      if (asksForAccounts(query)) {
        const wanted = parseAccountListQuery(query, config, maxPerPage)
        const found = await accountList.page(wanted)
        return JSON.stringify(showPage(found, wanted, config.roles))
      }
      return JSON.stringify(await numberedPage(query, maxPerPage, accounts, show))
    },
  )

  app.get(
    '/api/admin/accounts/:username',
    {
      config: { access, resource: named, responseHeaders: ['etag'] },
      schema: {
        operationId: 'getAccount',
        summary: 'One account',
        params: AccountName,
        response: { 200: AccountBody },
      },
    },
    async (request, reply) => tagged(reply, show(named.of(request))),
  )

  app.post(
    '/api/admin/accounts',
    {
      config: {
        access,
        body: 'json',
        maxBodyBytes: fewFieldsBytes,
        reauthentication: 'conditional', // if the role ADMIN is added
        requestHeaders: ['idempotency-key'],
        responseHeaders: ['etag'],
        errors: [
          ...(['userNotFound', 'usernameExists', userHasAccount] as const),
          ...fields.flatMap((field) => field.errors),
        ],
        checks: {
          username: (body) => parseUsername(textIn(body, 'username')),
          roles: checkRoles,
          user_id: (body) =>
            body.service === true ? assertFieldOfService(body, 'user_id') : parseUser(body),
          password(body) {
            assertFieldOfService(body, 'password')
            if (body.password === undefined && body.service !== true) {
              refuseField(['password'], { en: 'is required', de: 'fehlt' })
            }
            checkPassword(body)
          },
          email: (body) => assertFieldOfService(body, 'email'),
          must_change: (body) => assertFieldOfService(body, 'must_change'),
          service: (body) => body.service === true && parseServiceUser(body as NamedBody),
          ...fieldChecks(fields),
        },
      },
      schema: {
        operationId: 'createAccount',
        summary: 'Create an account, for a user that exists or with a new one',
        body: withFields(CreateAccount, fields),
        response: { 201: AccountBody },
      },
    },
    async (request, reply) => {
      const { password = null, must_change = false, service = false } = request.body
      assertMayAppoint(request, options, { roles: knownRoles(request.body.roles, config.roles) })
      assertNoFaults(request)
      const roles = parseRoles(request.body.roles, config.roles)
      const prepare = async () => {
        const create = await accounts.prepare({
          username: parseUsername(request.body.username),
          password,
          roles,
          mustChange: must_change,
          user: service ? parseServiceUser(request.body) : parseUser(request.body),
          isService: service,
          also: storeOf(fields, request.body),
        })
        return async (trx: DatabaseOrTransaction) => show(await create(trx))
      }
      const { body } = await idempotency.once(request, prepare, ({ user_id }) => user_id)
      return reply.status(201).send(tagged(reply, body))
    },
  )

  app.put(
    '/api/admin/accounts/:username',
    {
      config: {
        access,
        scope: null, // passwords and roles
        resource: named,
        reauthentication: 'conditional', // for passwords, and the role or flags of an ADMIN
        body: 'json',
        maxBodyBytes: fewFieldsBytes,
        requestHeaders: ['if-match'],
        responseHeaders: ['etag'],
        errors: ['lastAdministrator'],
        checks: {
          roles: checkRoles,
          // `accounts.change` knows the owner; this body does not.
          password: ({ password }) => checkPassword({ password }),
        },
      },
      schema: {
        operationId: 'updateAccount',
        summary: 'Change roles, flags or password',
        params: AccountName,
        body: UpdateAccount,
        response: { 200: AccountBody },
      },
    },
    async (request, reply) => {
      const { roles, locked, active, password, must_change } = request.body
      const account = named.of(request)
      const { userId } = account
      if (password !== undefined) {
        assertRecentLogin(request, config, clock)
        assertNotOwn(request, account) // /api/account/password requires the current password
      }
      assertNoFaults(request)
      const { guard, isWanted } = named.changeBy(request)
      const wanted = {
        roles: roles && parseRoles(roles, config.roles),
        locked,
        active,
        mustChange: must_change,
        password: password === undefined ? undefined : { text: password, field: 'password' },
      }
      const changed = await accounts.change(userId, wanted, {
        keepSession: ownSession(request, userId),
        guard,
        assertWanted(before) {
          assertMayAppoint(request, options, wanted, before)
          if (isWanted?.(before) === false) throw preconditionFailed()
        },
      })
      if (!changed) throw goneMeanwhile('accountNotFound')
      return tagged(reply, show(changed))
    },
  )

  app.delete(
    '/api/admin/accounts/:username',
    {
      config: {
        access,
        resource: named,
        reauthentication: 'conditional',
        requestHeaders: ['if-match'],
        errors: ['lastAdministrator'],
      },
      schema: {
        operationId: 'deleteAccount',
        summary: 'Delete an account and keep its user',
        params: AccountName,
        response: { 200: AccountBody },
      },
    },
    async (request) => {
      const { guard, isWanted } = named.changeBy(request)
      const account = await accounts.remove(named.of(request).userId, {
        guard,
        assertWanted(before) {
          assertMayDismiss(request, options, before)
          if (isWanted?.(before) === false) throw preconditionFailed()
        },
      })
      if (!account) throw goneMeanwhile('accountNotFound')
      return show(account)
    },
  )
}
