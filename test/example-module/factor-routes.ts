import { reauthorize } from '../../src/core/http/changes/reauthorize.ts'
import { type App, named, Text } from '../../src/core/http/schemas.ts'
import type { Needs } from '../../src/core/module/services.ts'
import { authenticated } from '../../src/core/policy/rules.ts'
import { ownAccount, ownSession } from '../../src/modules/accounts/look-up.ts'
import {
  acceptedProofs,
  confirmationRequired,
  proofsIn,
} from '../../src/modules/authentication/proof-schemas.ts'
import { RecoveryCodes } from '../../src/modules/factors/schemas.ts'
import { captchaRequired } from '../../src/modules/throttle/schemas.ts'
import { newNote } from './factor.ts'

const NewFactor = named(
  'NewNoteFactor',
  {
    type: 'object',
    required: ['name', 'code'],
    properties: { ...acceptedProofs, name: Text, code: Text, note_code: {} },
  },
  { name: 'On the fridge', code: 'seven blue geese' },
)

export async function routes(app: App, needs: Needs): Promise<void> {
  const { accounts, factors, proofs } = needs

  app.post(
    '/api/note-factors',
    {
      config: {
        access: { rule: authenticated },
        reauthentication: 'always',
        body: 'json',
        errors: [
          ...(['accountNotFound', 'invalidCredentials', 'tooManyLoginAttempts'] as const),
          ...[confirmationRequired, captchaRequired],
        ],
      },
      schema: {
        operationId: 'addNoteFactor',
        summary: 'Add words on a note as a second factor',
        body: NewFactor,
        response: { 201: RecoveryCodes },
      },
    },
    async (request, reply) => {
      const account = await ownAccount(accounts, request)
      const { userId } = account
      const sent = proofsIn(request.body)
      const guard = await proofs.prove(request, { account, change: 'factor', sent })
      const codes = await factors.add(account, async () => newNote(needs, userId, request.body), {
        keepSession: ownSession(request, userId),
        guard: guard ?? reauthorize(request),
      })
      return reply.status(201).send({ recovery_codes: codes })
    },
  )
}
