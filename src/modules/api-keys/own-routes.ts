import type { preHandlerHookHandler } from 'fastify'
import { ApiError } from '../../core/errors.ts'
import { fewFieldsBytes, noneIsEmpty } from '../../core/http/bodies/bodies.ts'
import { assertNoFaults } from '../../core/http/bodies/faults.ts'
import { reauthorize } from '../../core/http/changes/reauthorize.ts'
import { type App, Message } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { authenticated } from '../../core/policy/rules.ts'
import { ownAccount, ownAccountPrefixes, ownOperationId } from '../accounts/look-up.ts'
import { confirmationRequired, proofsIn } from '../authentication/proof-schemas.ts'
import { keyNotFound } from '../keys/problems.ts'
import { captchaRequired } from '../throttle/schemas.ts'
import { defaultOverlapSeconds } from './api-keys.ts'
import { tooManyKeys } from './problems.ts'
import {
  AppPasswordRotation,
  AppPasswordWanted,
  KeyId,
  keySchemas,
  SentAppPassword,
  SentAppPasswordRotation,
  showMade,
  shownWith,
} from './schemas.ts'
import { scopesIn } from './scopes.ts'
import { plainName, wantedKeyOf } from './wanted.ts'

export const prefixes = ownAccountPrefixes

const kind = 'app_password'
const access = { rule: authenticated }
const off = ['accountNotFound', 'routeNotFound'] as const
const proofErrors = [
  'invalidCredentials',
  'tooManyLoginAttempts',
  ...off,
  confirmationRequired,
  captchaRequired,
] as const

/** App passwords, made by the person alone; with APP_PASSWORDS=on. */
export async function routes(app: App, needs: Needs): Promise<void> {
  const { accounts, apiKeys, config, modules, proofs } = needs
  const { KeyList, NewKeyBody } = keySchemas(config.roles)
  const made = showMade(config.roles)
  const scopes = scopesIn(modules)
  const idOf = (id: string) => ownOperationId(id, app.prefix)
  const preHandler: preHandlerHookHandler = (_request, _reply, done) => {
    if (config.appPasswords.isOn) return done()
    throw new ApiError('routeNotFound', { reason: { code: 'app_passwords_off' } })
  }

  app.get(
    '/keys',
    {
      preHandler,
      config: { access, errors: off },
      schema: {
        operationId: idOf('listAppPasswords'),
        summary: "One's own app passwords, the oldest first",
        response: { 200: KeyList },
      },
    },
    async (request) => {
      const { userId } = await ownAccount(accounts, request)
      return (await apiKeys.of(userId, kind)).map(shownWith(config.roles))
    },
  )

  app.post(
    '/keys',
    {
      preHandler,
      config: {
        access,
        reauthentication: 'always',
        body: 'json',
        sends: SentAppPassword,
        maxBodyBytes: fewFieldsBytes,
        errors: [...proofErrors, tooManyKeys],
        checks: { name: ({ name }) => typeof name === 'string' && plainName(name) },
      },
      schema: {
        operationId: idOf('createAppPassword'),
        summary: 'Make an app password, with proofs of the person; its text is shown once',
        body: AppPasswordWanted,
        response: { 201: NewKeyBody },
      },
    },
    async (request, reply) => {
      const account = await ownAccount(accounts, request)
      assertNoFaults(request)
      const { name, scopes: named = [], roles, expires_in_days } = request.body
      const sent = { name, scopes: named, roles, expires_in_days }
      const wanted = wantedKeyOf(account, sent, kind, { scopes, roles: config.roles })
      const guard = await proofs.prove(request, {
        account,
        change: kind,
        sent: proofsIn(request.body),
      })
      const key = await apiKeys.create(account, wanted, { guard, by: account.userId })
      return reply.status(201).send(made(key))
    },
  )

  app.post(
    '/keys/:id/rotate',
    {
      preHandler,
      config: {
        access,
        reauthentication: 'always',
        body: 'optional',
        sends: SentAppPasswordRotation,
        maxBodyBytes: fewFieldsBytes,
        errors: [...proofErrors, keyNotFound, tooManyKeys],
      },
      preValidation: noneIsEmpty,
      schema: {
        operationId: idOf('rotateAppPassword'),
        summary: 'Make the successor of an app password, with proofs of the person',
        params: KeyId,
        body: AppPasswordRotation,
        response: { 201: NewKeyBody },
      },
    },
    async (request, reply) => {
      const account = await ownAccount(accounts, request)
      const { userId } = account
      const { overlap_seconds = defaultOverlapSeconds } = request.body
      const found = { userId, id: request.params.id, kind } as const
      await apiKeys.find(found) // 404 before proofs
      const sent = proofsIn(request.body)
      const guard = await proofs.prove(request, { account, change: kind, sent })
      const key = await apiKeys.rotate(found, overlap_seconds, { guard, by: userId })
      return reply.status(201).send(made(key))
    },
  )

  app.delete(
    '/keys/:id',
    {
      preHandler,
      config: {
        access,
        errors: [...off, keyNotFound],
        examples: { answer: { message: 'Key revoked' } },
      },
      schema: {
        operationId: idOf('revokeAppPassword'),
        summary: "Revoke one of one's own app passwords",
        params: KeyId,
        response: { 200: Message },
      },
    },
    async (request) => {
      const { userId } = await ownAccount(accounts, request)
      const found = { userId, id: request.params.id, kind } as const
      await apiKeys.revoke(found, { guard: reauthorize(request), reason: 'owner' })
      return { message: 'Key revoked' }
    },
  )
}
