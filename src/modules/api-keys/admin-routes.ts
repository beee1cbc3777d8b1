import { ApiError } from '../../core/errors.ts'
import { fewFieldsBytes, noneIsEmpty } from '../../core/http/bodies/bodies.ts'
import { assertNoFaults } from '../../core/http/bodies/faults.ts'
import { reauthorize } from '../../core/http/changes/reauthorize.ts'
import { callerOf } from '../../core/http/routes/access.ts'
import { type App, Message } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { userIdOf } from '../../core/policy/principal.ts'
import { role } from '../../core/policy/rules.ts'
import { accountNamed } from '../accounts/look-up.ts'
import { AccountName } from '../accounts/schemas.ts'
import type { Account } from '../authentication/account.ts'
import { keyNotFound } from '../keys/problems.ts'
import { defaultOverlapSeconds } from './api-keys.ts'
import { tooManyKeys } from './problems.ts'
import { KeyOfAccount, keySchemas, Rotation, showMade, shownWith, WantedKey } from './schemas.ts'
import { scopesIn } from './scopes.ts'
import { plainName, wantedKeyOf } from './wanted.ts'

const path = '/api/admin/accounts/:username/keys'
const tag = 'Administration of accounts'
const access = { rule: role('ADMIN') }

export async function routes(app: App, needs: Needs): Promise<void> {
  const { accounts, apiKeys, config, modules } = needs
  const { KeyList, NewKeyBody } = keySchemas(config.roles)
  const show = shownWith(config.roles)
  const made = showMade(config.roles)
  const scopes = scopesIn(modules)
  const named = accountNamed(accounts)

  app.get(
    path,
    {
      config: { tag, access, resource: named },
      schema: {
        operationId: 'listApiKeys',
        summary: 'The keys and app passwords of an account, the oldest first',
        params: AccountName,
        response: { 200: KeyList },
      },
    },
    async (request) => (await apiKeys.of(named.of(request).userId)).map(show),
  )

  app.post(
    path,
    {
      config: {
        ...{ tag, access, resource: named },
        reauthentication: 'always',
        body: 'json',
        maxBodyBytes: fewFieldsBytes,
        errors: ['accessDenied', tooManyKeys],
        checks: { name: ({ name }) => typeof name === 'string' && plainName(name) },
      },
      schema: {
        operationId: 'createApiKey',
        summary: 'Make a key of a service account; its text is shown once',
        params: AccountName,
        body: WantedKey,
        response: { 201: NewKeyBody },
      },
    },
    async (request, reply) => {
      const account = named.of(request)
      assertService(account)
      assertNoFaults(request)
      const wanted = wantedKeyOf(account, request.body, 'key', { scopes, roles: config.roles })
      const by = userIdOf(callerOf(request))
      const key = await apiKeys.create(account, wanted, { guard: reauthorize(request), by })
      return reply.status(201).send(made(key))
    },
  )

  app.post(
    `${path}/:id/rotate`,
    {
      config: {
        ...{ tag, access, resource: named },
        reauthentication: 'always',
        body: 'optional',
        maxBodyBytes: fewFieldsBytes,
        errors: ['accessDenied', keyNotFound, tooManyKeys],
      },
      preValidation: noneIsEmpty,
      schema: {
        operationId: 'rotateApiKey',
        summary: 'Make the successor of a key, which stays valid for a day',
        params: KeyOfAccount,
        body: Rotation,
        response: { 201: NewKeyBody },
      },
    },
    async (request, reply) => {
      const account = named.of(request)
      assertService(account)
      const { overlap_seconds = defaultOverlapSeconds } = request.body
      const found = { userId: account.userId, id: request.params.id }
      const by = userIdOf(callerOf(request))
      const key = await apiKeys.rotate(found, overlap_seconds, { guard: reauthorize(request), by })
      return reply.status(201).send(made(key))
    },
  )

  app.delete(
    `${path}/:id`,
    {
      config: {
        ...{ tag, access, resource: named },
        errors: [keyNotFound],
        examples: { answer: { message: 'Key revoked' } },
      },
      schema: {
        operationId: 'revokeApiKey',
        summary: 'Revoke a key or an app password',
        params: KeyOfAccount,
        response: { 200: Message },
      },
    },
    async (request) => {
      const found = { userId: named.of(request).userId, id: request.params.id }
      await apiKeys.revoke(found, { guard: reauthorize(request), reason: 'administrator' })
      return { message: 'Key revoked' }
    },
  )
}

/** A person makes keys alone. @throws ApiError accessDenied */
function assertService({ isService, userId }: Account): void {
  if (isService) return
  throw new ApiError('accessDenied', {
    reason: { code: 'keys_of_person', facts: { user_id: userId } },
  })
}
