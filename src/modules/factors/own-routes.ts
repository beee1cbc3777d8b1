import { fewFieldsBytes } from '../../core/http/bodies/bodies.ts'
import type { App } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { authenticated } from '../../core/policy/rules.ts'
import { ownAccount, ownAccountPrefixes, ownOperationId } from '../accounts/look-up.ts'
import {
  AcceptedProofs,
  confirmationRequired,
  proofsIn,
  SentProofs,
} from '../authentication/proof-schemas.ts'
import { captchaRequired } from '../throttle/schemas.ts'
import { FactorList, RecoveryCodes, showFactor } from './schemas.ts'

export const prefixes = ownAccountPrefixes

/** Below /api/user/account (role USER) and /api/account (any account). */
export async function routes(app: App, { accounts, factors, proofs }: Needs): Promise<void> {
  app.get(
    '/factors',
    {
      config: { access: { rule: authenticated }, errors: ['accountNotFound'] },
      schema: {
        operationId: ownOperationId('listOwnFactors', app.prefix),
        summary: "One's own second factors, the oldest first",
        response: { 200: FactorList },
      },
    },
    async (request) => {
      const { userId } = await ownAccount(accounts, request)
      return (await factors.of(userId)).map(showFactor)
    },
  )

  app.post(
    '/recovery-codes',
    {
      config: {
        access: { rule: authenticated },
        reauthentication: 'always',
        body: 'json',
        sends: SentProofs,
        maxBodyBytes: fewFieldsBytes,
        errors: [
          'invalidCredentials',
          'tooManyLoginAttempts',
          'accountNotFound',
          confirmationRequired,
          captchaRequired,
        ],
      },
      schema: {
        operationId: ownOperationId('renewRecoveryCodes', app.prefix),
        summary: 'Ten new recovery codes, with proofs of the person; the old ones end',
        body: AcceptedProofs,
        response: { 201: RecoveryCodes },
      },
    },
    async (request, reply) => {
      const account = await ownAccount(accounts, request)
      const sent = proofsIn(request.body)
      const guard = await proofs.prove(request, { account, change: 'recovery_codes', sent })
      const codes = await factors.renewCodes(account, guard)
      return reply.status(201).send({ recovery_codes: codes })
    },
  )
}
