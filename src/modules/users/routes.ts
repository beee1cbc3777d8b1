import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../../core/errors.ts'
import { tagged } from '../../core/http/changes/entity-tag.ts'
import { goneMeanwhile, resource } from '../../core/http/changes/resource.ts'
import { inTurn } from '../../core/http/lists/bulk-answers.ts'
import { sendList } from '../../core/http/lists/listing.ts'
import { positiveInteger, type Query } from '../../core/http/lists/paging.ts'
import { mediaTypes } from '../../core/http/media-types.ts'
import { authorize } from '../../core/http/routes/access.ts'
import { type App, listQuery } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { asksPrivilege, type Rule } from '../../core/policy/rules.ts'
import { usersRules } from './rules.ts'
import {
  CreateUser,
  ListQueryV2,
  UpdateUser,
  UserBody,
  UserId,
  UserList,
  UserPageV2,
} from './schemas.ts'
import type { User } from './user.ts'
import type { Checks } from './users.ts'
import { isLargePageV2, listUsersV2 } from './v2.ts'

/** Spec 2.1, 2.6, 4.2, 9. Mounted per API version; v2 differs in the list and one error text. */
export async function routes(app: FastifyInstance, needs: Needs): Promise<void> {
  for (const [prefix, version, idSuffix] of [
    ['', 'v1', ''],
    ['/api/v1', 'v1', 'V1'],
    ['/api/v2', 'v2', 'V2'],
  ] as const) {
    await app.register(routesOfVersion, { prefix, version, idSuffix, ...needs })
  }
}

interface VersionOptions extends Needs {
  readonly version: 'v1' | 'v2'
  /** Makes operation ids unique. */
  readonly idSuffix: '' | 'V1' | 'V2'
}

const batchSize = 500

async function routesOfVersion(
  app: App,
  { config, idempotency, users, version, idSuffix }: VersionOptions,
): Promise<void> {
  const idOf = (id: string) => id + idSuffix
  const rules = usersRules[config.users.policy]
  const listing = {
    count: users.count,
    slice: users.slice,
    batchSize,
    pageLimitMax: config.lists.pageLimitMax,
  }

  const user = resource<User>({
    param: 'id',
    missing: 'userNotFound',
    load(text) {
      const id = positiveInteger(text)
      return id === null ? null : users.byId(id)
    },
    async facts(found, rule) {
      const privileged =
        found !== null && asksPrivilege(rule) && (await users.isPrivileged(found.id))
      return { ownerId: found && String(found.id), privileged }
    },
  })

  if (version === 'v1') {
    app.get(
      '/users',
      {
        config: {
          access: { rule: rules.list },
          query: listQuery(config.lists.pageLimitMax),
          answers: { 200: { [mediaTypes.json]: UserList } },
          responseHeaders: ['x-total-count'],
        },
        schema: { operationId: idOf('listUsers'), summary: 'All users, or one page of them' },
      },
      (request, reply) => sendList(request, reply, listing),
    )
  } else {
    app.get(
      '/users',
      {
        config: {
          access: { rule: rules.list },
          query: ListQueryV2,
          errors: ['validationFailed'],
        },
        schema: {
          operationId: idOf('listUsers'),
          summary: 'One page of users, searched and sorted',
          response: { 200: UserPageV2 },
        },
      },
      (request, reply) => {
        const query = request.query as Query // parsed by Fastify
        const list = () => listUsersV2(users, query)
        if (!isLargePageV2(query)) return list()
        return inTurn(request, reply, { mayBeRefused: false })(list)
      },
    )
  }

  app.get(
    '/users/:id',
    {
      config: {
        access: { rule: rules.read },
        resource: user,
        params: UserId,
        responseHeaders: ['etag'],
      },
      schema: {
        operationId: idOf('getUser'),
        summary: 'One user',
        response: { 200: UserBody },
      },
    },
    async (request, reply) => tagged(reply, user.of(request)),
  )

  app.post(
    '/users',
    {
      config: {
        access: { rule: rules.create },
        ...(rules.create.kind === 'anyone' && { csrf: 'exempt' }), // open to anyone, so CSRF adds nothing
        body: 'json',
        requestHeaders: ['idempotency-key'],
        responseHeaders: ['etag'],
        ...(version === 'v1' && {
          required: { fields: ['name', 'email'], error: 'nameAndEmailRequired' },
        }),
      },
      schema: {
        operationId: idOf('createUser'),
        summary: 'Create a user',
        body: CreateUser,
        response: { 201: UserBody },
      },
    },
    async (request, reply) => {
      const { name, email } = request.body
      const { body } = await idempotency.once(
        request,
        () => (trx) => users.create({ name, email }, trx),
        ({ id }) => id,
      )
      return reply.status(201).send(tagged(reply, body))
    },
  )

  app.put(
    '/users/:id',
    {
      config: {
        access: { rule: rules.update },
        resource: user,
        params: UserId,
        body: 'json',
        requestHeaders: ['if-match'],
        responseHeaders: ['etag'],
      },
      schema: {
        operationId: idOf('updateUser'),
        summary: 'Change name, e-mail or both; tokens keep the verified address of the account',
        body: UpdateUser,
        response: { 200: UserBody },
      },
    },
    async (request, reply) => {
      const { name, email } = request.body
      const { id } = user.of(request)
      const changed = await users.merge(id, { name, email }, checks(rules.update, request))
      return tagged(reply, present(changed))
    },
  )

  app.delete(
    '/users/:id',
    {
      config: {
        access: { rule: rules.remove },
        resource: user,
        params: UserId,
        requestHeaders: ['if-match'],
        errors: ['lastAdministrator'],
      },
      schema: {
        operationId: idOf('deleteUser'),
        summary: 'Delete a user with its account and sessions',
        response: { 200: UserBody },
      },
    },
    async (request) =>
      present(await users.remove(user.of(request).id, checks(rules.remove, request))),
  )

  /** Rechecked in the transaction: the user may have become an ADMIN. */
  function checks(rule: Rule, request: FastifyRequest): Checks {
    const change = user.changeBy(request)
    const caller = request.principal
    const isByKey = caller?.credential.scheme === 'key'
    if (!asksPrivilege(rule) && !isByKey) return change
    const ownerId = String(user.of(request).id)
    return {
      ...change,
      assertMay(privileged) {
        // As with accounts: that asks for a recent login, which a key never is.
        if (isByKey && privileged) {
          const facts = { user_id: caller.subject, scope: null }
          throw new ApiError('accessDenied', { reason: { code: 'key_out_of_scope', facts } })
        }
        if (asksPrivilege(rule)) authorize(request, { ownerId, privileged })
      },
    }
  }
}

/** @throws ApiError userNotFound if the user was deleted in between */
function present(user: User | null): User {
  if (!user) throw goneMeanwhile('userNotFound')
  return user
}
