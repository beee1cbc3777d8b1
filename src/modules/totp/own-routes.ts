import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../core/errors.ts'
import { fewFieldsBytes, noneIsEmpty } from '../../core/http/bodies/bodies.ts'
import { reauthorize } from '../../core/http/changes/reauthorize.ts'
import { type App, Message } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { authenticated } from '../../core/policy/rules.ts'
import { ownAccount, ownAccountPrefixes, ownOperationId, ownSession } from '../accounts/look-up.ts'
import type { Account } from '../authentication/account.ts'
import {
  AcceptedProofs,
  confirmationRequired,
  proofsIn,
  SentProofs,
} from '../authentication/proof-schemas.ts'
import { secondFactorNotFound } from '../factors/problems.ts'
import { RecoveryCodes } from '../factors/schemas.ts'
import { captchaRequired } from '../throttle/schemas.ts'
import { totpId } from './kind.ts'
import { Code, Enrolment, SentCode } from './schemas.ts'

export const prefixes = ownAccountPrefixes

const errors = ['invalidCredentials', 'tooManyLoginAttempts', 'accountNotFound'] as const
const proofErrors = [...errors, confirmationRequired, captchaRequired] as const

/**
 * Below /api/user/account (role USER) and /api/account (any account); spec 5.5. POST and
 * DELETE require proofs of the person; PUT relies on POST. Enrolment tokens work for POST and PUT.
 */
export async function routes(app: App, { accounts, factors, proofs, totp }: Needs): Promise<void> {
  const idOf = (id: string) => ownOperationId(id, app.prefix)

  app.post(
    '/totp',
    {
      config: {
        access: { rule: authenticated },
        reauthentication: 'always',
        enrols: true,
        body: 'optional',
        sends: SentProofs,
        maxBodyBytes: fewFieldsBytes,
        errors: proofErrors,
      },
      preValidation: noneIsEmpty,
      schema: {
        operationId: idOf('beginTotp'),
        summary: 'Begin to enrol a second factor, or to replace it, with proofs of the person',
        body: AcceptedProofs,
        response: { 201: Enrolment },
      },
    },
    async (request, reply) => {
      const account = await own(request)
      const sent = proofsIn(request.body)
      const guard = await proofs.prove(request, { account, change: 'factor', sent })
      return reply.status(201).send(await totp.begin(account, guard))
    },
  )

  app.put(
    '/totp',
    {
      config: {
        access: { rule: authenticated },
        reauthentication: 'always',
        enrols: true,
        body: 'json',
        sends: SentCode,
        maxBodyBytes: fewFieldsBytes,
        errors,
      },
      schema: {
        operationId: idOf('confirmTotp'),
        summary: 'Confirm it with its first code: from now on it is asked for',
        body: Code,
        response: { 200: RecoveryCodes },
      },
    },
    async (request) => {
      const account = await own(request)
      const codes = await totp.confirm(account, request.body.totp, howOf(request, account))
      return { recovery_codes: codes }
    },
  )

  app.delete(
    '/totp',
    {
      config: {
        access: { rule: authenticated },
        reauthentication: 'always',
        body: 'json',
        sends: SentProofs,
        maxBodyBytes: fewFieldsBytes,
        errors: [...proofErrors, secondFactorNotFound],
        examples: { answer: { message: 'Second factor removed' } },
      },
      preValidation: async (request) => void (await ownWithFactor(request)), // 404 before 400
      schema: {
        operationId: idOf('removeTotp'),
        summary: 'Remove the second factor, with proofs of the person',
        body: AcceptedProofs,
        response: { 200: Message },
      },
    },
    async (request) => {
      const account = await ownWithFactor(request)
      const sent = proofsIn(request.body)
      const guard = await proofs.prove(request, { account, change: 'factor_removal', sent })
      const how = { ...howOf(request, account), isByOwner: true, guard }
      await factors.remove(account, { ...how, id: totpId })
      return { message: 'Second factor removed' }
    },
  )

  function howOf(request: FastifyRequest, { userId }: Account) {
    return { keepSession: ownSession(request, userId), guard: reauthorize(request) }
  }

  function own(request: FastifyRequest): Promise<Account> {
    return ownAccount(accounts, request)
  }

  /** @throws ApiError accountNotFound, secondFactorNotFound */
  async function ownWithFactor(request: FastifyRequest): Promise<Account> {
    const account = await own(request)
    if (await totp.isOn(account)) return account
    const facts = { user_id: account.userId }
    throw new ApiError(secondFactorNotFound, { reason: { code: 'no_second_factor', facts } })
  }
}
