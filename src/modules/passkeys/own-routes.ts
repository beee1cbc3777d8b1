import type { FastifyRequest } from 'fastify'
import { fewFieldsBytes, noneIsEmpty } from '../../core/http/bodies/bodies.ts'
import { reauthorize } from '../../core/http/changes/reauthorize.ts'
import { type App, Message } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { authenticated } from '../../core/policy/rules.ts'
import { ownAccount, ownAccountPrefixes, ownOperationId, ownSession } from '../accounts/look-up.ts'
import type { Account } from '../authentication/account.ts'
import { callerName, proofPurpose } from '../authentication/proof-purpose.ts'
import {
  AcceptedProofs,
  confirmationRequired,
  proofsIn,
  SentProofs,
} from '../authentication/proof-schemas.ts'
import { captchaRequired } from '../throttle/schemas.ts'
import { passkeyNotFound, tooManyPasskeys } from './problems.ts'
import {
  CreationOptionsBody,
  NewPasskeyBody,
  PasskeyBody,
  PasskeyId,
  PasskeyList,
  ProofAction,
  Registration,
  Rename,
  RequestOptionsBody,
  SentRegistration,
  showPasskey,
} from './schemas.ts'

export const prefixes = ownAccountPrefixes

const errors = ['invalidCredentials', 'tooManyLoginAttempts', 'accountNotFound'] as const
const proofErrors = [...errors, confirmationRequired, captchaRequired] as const

/**
 * Below /api/user/account (role USER) and /api/account (any account). The options of a new passkey
 * take the proofs of the person; the new passkey relies on them. Enrolment tokens work for both.
 */
export async function routes(app: App, needs: Needs): Promise<void> {
  const { accounts, passkeyEnrolment, passkeys, proofs } = needs
  const idOf = (id: string) => ownOperationId(id, app.prefix)
  const access = { rule: authenticated }
  const show = (passkey: Parameters<typeof showPasskey>[0]) => showPasskey(passkey, passkeys.rpId)
  const own = (request: FastifyRequest) => ownAccount(accounts, request)

  app.get(
    '/passkeys',
    {
      config: { access, errors: ['accountNotFound'] },
      schema: {
        operationId: idOf('listPasskeys'),
        summary: "One's own passkeys, the oldest first",
        response: { 200: PasskeyList },
      },
    },
    async (request) => (await passkeyEnrolment.of((await own(request)).userId)).map(show),
  )

  app.post(
    '/passkeys/options',
    {
      config: {
        ...{ access, reauthentication: 'always', enrols: true, body: 'optional' },
        ...{ sends: SentProofs, maxBodyBytes: fewFieldsBytes },
        errors: [...proofErrors, tooManyPasskeys],
      },
      preValidation: noneIsEmpty,
      schema: {
        operationId: idOf('beginPasskey'),
        summary: 'Options for a new passkey, with proofs of the person',
        body: AcceptedProofs,
        response: { 200: CreationOptionsBody },
      },
    },
    async (request) => {
      const account = await own(request)
      const sent = proofsIn(request.body)
      const guard = await proofs.prove(request, { account, change: 'factor', sent })
      return passkeyEnrolment.begin(account, callerName(request), guard)
    },
  )

  app.post(
    '/passkeys',
    {
      config: {
        ...{ access, reauthentication: 'always', enrols: true, body: 'json' },
        ...{ sends: SentRegistration, maxBodyBytes: fewFieldsBytes },
        errors: [...errors, 'validationFailed', tooManyPasskeys],
      },
      schema: {
        operationId: idOf('addPasskey'),
        summary: 'Add a passkey: it signs in from now on, and other logins end',
        body: Registration,
        response: { 201: NewPasskeyBody },
      },
    },
    async (request, reply) => {
      const account = await own(request)
      const { name, response: sent } = request.body
      const of = { caller: callerName(request), sent, name }
      const added = await passkeyEnrolment.finish(account, of, howOf(request, account))
      const body = { ...show(added.passkey), recovery_codes: [...added.recoveryCodes] }
      return reply.status(201).send(body)
    },
  )

  app.put(
    '/passkeys/:id',
    {
      config: {
        ...{ access, body: 'json', sends: Rename, maxBodyBytes: fewFieldsBytes },
        ...{ params: PasskeyId, errors: ['accountNotFound', passkeyNotFound] },
      },
      preValidation: assertOwn, // 404 before 400
      schema: {
        operationId: idOf('renamePasskey'),
        summary: 'Give a passkey another name',
        params: PasskeyId,
        body: Rename,
        response: { 200: PasskeyBody },
      },
    },
    async (request) => {
      const account = await own(request)
      const { id } = request.params
      const guard = reauthorize(request)
      return show(await passkeyEnrolment.rename(account, id, request.body.name, guard))
    },
  )

  app.delete(
    '/passkeys/:id',
    {
      config: {
        ...{ access, reauthentication: 'always', body: 'json' },
        ...{ sends: SentProofs, maxBodyBytes: fewFieldsBytes },
        errors: [...proofErrors, passkeyNotFound, 'accessDenied'],
        examples: { answer: { message: 'Passkey removed' } },
      },
      preValidation: assertOwn,
      schema: {
        operationId: idOf('removePasskey'),
        summary: 'Remove a passkey, with proofs of the person; other logins end',
        params: PasskeyId,
        body: AcceptedProofs,
        response: { 200: Message },
      },
    },
    async (request) => {
      const account = await own(request)
      const { id } = request.params
      await passkeyEnrolment.assertOwn(account, id)
      const sent = proofsIn(request.body)
      const guard = await proofs.prove(request, { account, change: 'factor_removal', sent })
      await passkeyEnrolment.remove(account, id, { ...howOf(request, account), guard })
      return { message: 'Passkey removed' }
    },
  )

  app.post(
    '/passkeys/proof',
    {
      config: {
        ...{ access, enrols: true, body: 'json', maxBodyBytes: fewFieldsBytes },
        errors: ['accountNotFound'],
      },
      schema: {
        operationId: idOf('beginPasskeyProof'),
        summary: 'Options for a proof by a passkey, for one change of the own account',
        body: ProofAction,
        response: { 200: RequestOptionsBody },
      },
    },
    async (request) => {
      const { userId } = await own(request)
      await reauthorize(request)?.authorize(needs.db)
      return passkeys.options(proofPurpose(request, request.body.action), userId)
    },
  )

  async function assertOwn(request: FastifyRequest): Promise<void> {
    const { id } = request.params as { id: string }
    await passkeyEnrolment.assertOwn(await own(request), id)
  }

  function howOf(request: FastifyRequest, { userId }: Account) {
    return { keepSession: ownSession(request, userId), guard: reauthorize(request) }
  }
}
