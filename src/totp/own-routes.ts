import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Accounts } from '../accounts/accounts.ts'
import { ownAccount, ownSession } from '../accounts/look-up.ts'
import type { Account } from '../authentication/account.ts'
import { fewFieldsBytes, noneIsEmpty } from '../http/bodies/bodies.ts'
import { stillAllowed } from '../http/changes/still-allowed.ts'
import { Message, type SchemaTypes, type Static } from '../http/schemas.ts'
import { ownOperationId } from '../policy/groups.ts'
import { authenticated } from '../policy/rules.ts'
import {
  Code,
  CodeOrRecovery,
  Enrolment,
  RecoveryCodes,
  SentCode,
  SentProof,
  secondFactorRequired,
} from './schemas.ts'
import type { Proof, SecondFactor } from './second-factor.ts'

/**
 * The second factor of the caller's own account, spec 5.5: POST, PUT and DELETE /totp and POST
 * /recovery-codes below /api/user/account (role USER) and /api/account (any account). Each requires
 * reauthentication; an enrolment token is accepted by POST and PUT /totp only.
 */
export interface FactorRoutesOptions {
  readonly accounts: Pick<Accounts, 'byUserId'>
  readonly secondFactor: SecondFactor
}

const errors = ['invalidCredentials', 'tooManyLoginAttempts', 'accountNotFound'] as const

export async function factorRoutes(
  instance: FastifyInstance,
  { accounts, secondFactor }: FactorRoutesOptions,
): Promise<void> {
  const app = instance.withTypeProvider<SchemaTypes>()
  const idOf = (id: string) => ownOperationId(id, instance.prefix)

  app.post(
    '/totp',
    {
      config: {
        access: { rule: authenticated },
        reauthentication: 'always',
        enrols: true,
        body: 'optional',
        sends: SentProof,
        maxBodyBytes: fewFieldsBytes,
        errors: [...errors, secondFactorRequired],
      },
      preValidation: noneIsEmpty,
      schema: {
        operationId: idOf('beginTotp'),
        summary: 'Begin to enrol a second factor; to replace one, with a code of it',
        body: CodeOrRecovery,
        response: { 201: Enrolment },
      },
    },
    async (request, reply) => {
      const proof = proofOf(request.body)
      const begun = await secondFactor.begin(await own(request), proof, stillAllowed(request))
      return reply.status(201).send(begun)
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
      const codes = await secondFactor.confirm(account, request.body.totp, howOf(request, account))
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
        sends: SentProof,
        maxBodyBytes: fewFieldsBytes,
        errors: [...errors, secondFactorRequired],
        examples: { answer: { message: 'Second factor removed' } },
      },
      schema: {
        operationId: idOf('removeTotp'),
        summary: 'Remove the second factor, with a code of it or a recovery code',
        body: CodeOrRecovery,
        response: { 200: Message },
      },
    },
    async (request) => {
      const account = await own(request)
      await secondFactor.remove(account, proofOf(request.body), howOf(request, account))
      return { message: 'Second factor removed' }
    },
  )

  app.post(
    '/recovery-codes',
    {
      config: {
        access: { rule: authenticated },
        reauthentication: 'always',
        body: 'json',
        sends: SentProof,
        maxBodyBytes: fewFieldsBytes,
        errors: [...errors, secondFactorRequired],
      },
      schema: {
        operationId: idOf('renewRecoveryCodes'),
        summary: 'Ten new recovery codes, with a code of the second factor; the old ones end',
        body: CodeOrRecovery,
        response: { 201: RecoveryCodes },
      },
    },
    async (request, reply) => {
      const [account, proof] = [await own(request), proofOf(request.body)]
      const codes = await secondFactor.renewCodes(account, proof, stillAllowed(request))
      return reply.status(201).send({ recovery_codes: codes })
    },
  )

  function howOf(request: FastifyRequest, { userId }: Account) {
    return { keepSession: ownSession(request, userId), guard: stillAllowed(request) }
  }

  function own(request: FastifyRequest): Promise<Account> {
    return ownAccount(accounts, request)
  }
}

function proofOf({ totp, recovery_code: recoveryCode }: Static<typeof CodeOrRecovery>): Proof {
  return { totp, recoveryCode }
}
