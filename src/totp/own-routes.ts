import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Accounts } from '../accounts/accounts.ts'
import { ownAccount, ownSession } from '../accounts/look-up.ts'
import type { Account } from '../authentication/account.ts'
import { fewFieldsBytes, noneIsEmpty } from '../http/bodies/bodies.ts'
import { stillAllowed } from '../http/changes/still-allowed.ts'
import { Message, type SchemaTypes, type Static, Text } from '../http/schemas.ts'
import { ownOperationId } from '../policy/groups.ts'
import { authenticated } from '../policy/rules.ts'
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

const Enrolment = {
  type: 'object',
  required: ['secret', 'uri', 'qr'],
  properties: {
    secret: { type: 'string', description: 'Base32' },
    uri: { type: 'string', description: 'otpauth://totp/...' },
    qr: { type: 'string', description: 'The address as a QR code: SVG text' },
  },
  additionalProperties: false,
} as const

const RecoveryCodes = {
  type: 'object',
  required: ['recovery_codes'],
  properties: { recovery_codes: { type: 'array', items: Text } },
  additionalProperties: false,
} as const

// Without types: a value that is no valid code is a wrong code, and is counted as one.
const Code = { type: 'object', properties: { totp: { description: 'Six digits' } } } as const
const CodeOrRecovery = {
  type: 'object',
  properties: { totp: { description: 'Six digits' }, recovery_code: { description: 'Text' } },
} as const

const errors = ['invalidCredentials', 'tooManyLoginAttempts', 'accountNotFound'] as const

export async function factorRoutes(
  instance: FastifyInstance,
  { accounts, secondFactor }: FactorRoutesOptions,
): Promise<void> {
  const app = instance.withTypeProvider<SchemaTypes>()
  const named = (id: string) => ownOperationId(id, instance.prefix)

  app.post(
    '/totp',
    {
      config: {
        access: { rule: authenticated },
        reauthentication: 'always',
        enrols: true,
        body: 'optional',
        maxBodyBytes: fewFieldsBytes,
        errors: [...errors, 'secondFactorRequired'],
      },
      preValidation: noneIsEmpty,
      schema: {
        operationId: named('beginTotp'),
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
        maxBodyBytes: fewFieldsBytes,
        errors,
      },
      schema: {
        operationId: named('confirmTotp'),
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
        maxBodyBytes: fewFieldsBytes,
        errors: [...errors, 'secondFactorRequired'],
      },
      schema: {
        operationId: named('removeTotp'),
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
        maxBodyBytes: fewFieldsBytes,
        errors: [...errors, 'secondFactorRequired'],
      },
      schema: {
        operationId: named('renewRecoveryCodes'),
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
