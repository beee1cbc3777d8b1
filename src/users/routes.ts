import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/load.ts'
import type { Database } from '../database/database.ts'
import { authorize, authorizeAnyone } from '../http/routes/access.ts'
import { ifMatch, tagged } from '../http/routes/entity-tag.ts'
import { sendList } from '../http/routes/listing.ts'
import { positiveInteger, type Query } from '../http/routes/paging.ts'
import { stillAllowed } from '../http/routes/still-allowed.ts'
import { ListQuery, type SchemaTypes } from '../http/schemas.ts'
import { inTurn } from '../http/server/bulk-answers.ts'
import type { Idempotency } from '../idempotency/idempotency.ts'
import { ApiError } from '../kernel/errors.ts'
import { asksPrivilege, needsResource, type Rule, usersRules } from '../policy/rules.ts'
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
import type { Checks, Users } from './users.ts'
import { isLargePageV2, listUsersV2 } from './v2.ts'

/**
 * Users room, spec 2.1, 2.6, 4.2 and 9: list, get, create, update and delete, mounted once per
 * version of the API. v2 differs in its list and in one error text.
 */
export interface UserRoutesOptions {
  readonly config: Pick<Config, 'http' | 'lists' | 'users'>
  readonly db: Database
  readonly idempotency: Idempotency
  readonly users: Users
  readonly version: 'v1' | 'v2'
}

const batchSize = 500

export async function userRoutes(
  instance: FastifyInstance,
  { config, db, idempotency, users, version }: UserRoutesOptions,
): Promise<void> {
  const app = instance.withTypeProvider<SchemaTypes>()
  const rules = usersRules[config.users.policy]
  const listing = {
    count: users.count,
    slice: users.slice,
    batchSize,
    pageLimitMax: config.lists.pageLimitMax,
  }

  if (version === 'v1') {
    app.get(
      '/users',
      {
        config: { access: { rule: rules.list }, query: ListQuery, describes: UserList },
        schema: { summary: 'All users, or one page of them' },
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
          errors: ['validationFailed', 'serviceUnavailable'],
        },
        schema: {
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
      config: { access: { rule: rules.read }, errors: ['userNotFound'] },
      schema: { summary: 'One user', params: UserId, response: { 200: UserBody } },
      ...guard(rules.read),
    },
    async (request, reply) => tagged(reply, found(await byId(request.params.id))),
  )

  app.post(
    '/users',
    {
      config: {
        access: { rule: rules.create },
        body: 'json',
        requestHeaders: ['idempotency-key'],
        ...(version === 'v1' && {
          required: { fields: ['name', 'email'], error: 'nameAndEmailRequired' },
        }),
      },
      schema: { summary: 'Create a user', body: CreateUser, response: { 201: UserBody } },
    },
    async (request, reply) => {
      const { name, email } = request.body
      const { body } = await idempotency.once(
        request,
        () => (trx) => users.create({ name, email }, trx),
      )
      return reply.status(201).send(tagged(reply, body))
    },
  )

  app.put(
    '/users/:id',
    {
      config: {
        access: { rule: rules.update },
        body: 'json',
        requestHeaders: ['if-match'],
        errors: ['userNotFound'],
      },
      schema: {
        summary: 'Change name, e-mail or both',
        params: UserId,
        body: UpdateUser,
        response: { 200: UserBody },
      },
      // Before the body is read: 403 and 404 come before 400.
      onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
        const user = await addressed(request)
        if (needsResource(rules.update)) await assertMay(rules.update, user, request, reply)
        found(user)
      },
    },
    async (request, reply) => {
      const { name, email } = request.body
      const id = Number(request.params.id)
      const user = found(await users.merge(id, { name, email }, checks(rules.update, id, request)))
      return tagged(reply, user)
    },
  )

  app.delete(
    '/users/:id',
    {
      config: {
        access: { rule: rules.remove },
        requestHeaders: ['if-match'],
        errors: ['userNotFound', 'lastAdministrator'],
      },
      schema: {
        summary: 'Delete a user with its account and sessions',
        params: UserId,
        response: { 200: UserBody },
      },
      ...guard(rules.remove),
    },
    async (request) => {
      const id = positiveInteger(request.params.id)
      return found(id === null ? null : await users.remove(id, checks(rules.remove, id, request)))
    },
  )

  /** Asks a rule that only the user can answer, before anything else is looked at. */
  function guard(rule: Rule) {
    if (!needsResource(rule)) return {}
    return {
      onRequest: async (request: FastifyRequest, reply: FastifyReply) =>
        assertMay(rule, await addressed(request), request, reply),
    }
  }

  async function assertMay(
    rule: Rule,
    user: User | null,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const privileged = user !== null && asksPrivilege(rule) && (await users.isPrivileged(user.id))
    const resource = { ownerId: user && String(user.id), privileged }
    await authorizeAnyone(request, reply, resource, { config, db })
  }

  /** The same inside the transaction of a change: the user may be an ADMIN's by then. */
  function checks(rule: Rule, id: number, request: FastifyRequest): Checks {
    return {
      guard: stillAllowed(request),
      assertWanted: ifMatch(request),
      assertMay: asksPrivilege(rule)
        ? (privileged) => authorize(request, { ownerId: String(id), privileged })
        : undefined,
    }
  }

  function addressed(request: FastifyRequest): Promise<User | null> {
    return byId((request.params as { id: string }).id) // the route has an :id
  }

  async function byId(text: string): Promise<User | null> {
    const id = positiveInteger(text)
    return id === null ? null : users.byId(id)
  }
}

function found(user: User | null): User {
  if (!user) throw new ApiError('userNotFound')
  return user
}
