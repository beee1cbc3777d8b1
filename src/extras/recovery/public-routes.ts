import { refuseField } from '../../core/errors.ts'
import { fewFieldsBytes } from '../../core/http/bodies/bodies.ts'
import { type App, Message } from '../../core/http/schemas.ts'
import { isoTime } from '../../core/lib/clock.ts'
import type { Needs } from '../../core/module/services.ts'
import { anyone } from '../../core/policy/rules.ts'
import { secondFactorRequired } from '../../modules/factors/schemas.ts'
import { mailUnavailable } from '../mail/problems.ts'
import { completing } from '../one-time-tokens/completing.ts'
import { openProof, proofOf } from '../one-time-tokens/proof.ts'
import { BegunConfirmation } from '../one-time-tokens/schemas.ts'
import {
  parseEmailIdentifier,
  parseUsernameIdentifier,
  type ResetIdentifier,
} from './reset-identifier.ts'
import { BeginReset, FinishReset, finishExamples, SentReset } from './schemas.ts'
import { resetPurposes } from './ways.ts'

const guards = {
  access: { rule: anyone },
  csrf: 'foreignPage',
  body: 'json',
  maxBodyBytes: fewFieldsBytes,
  tag: 'Sign in',
} as const

/** For programs with their own pages. */
export async function routes(
  app: App,
  { config, confirmations, factorKinds, loginAddress, recovery }: Needs,
): Promise<void> {
  app.post(
    '/api/public/reset',
    {
      config: { ...guards, errors: ['tooManyRequests', mailUnavailable] },
      schema: {
        operationId: 'beginReset',
        summary: 'Forgot the password: a link and a code by mail. The answer shows no account',
        body: BeginReset,
        response: { 202: BegunConfirmation },
      },
    },
    async (request, reply) => {
      const { language = config.pages.language } = request.body
      const options = { language, client: loginAddress(request), flow: null }
      const { id, expiresAt } = await recovery.begin(identifierOf(request.body), options)
      return reply.status(202).send({ id, expires_at: isoTime(expiresAt) })
    },
  )

  for (const { named, ...at } of completing('/api/public/reset', 'Reset')) {
    app.route({
      ...at,
      config: {
        ...guards,
        sends: SentReset,
        examples: { bodies: finishExamples, answer: { message: 'Password changed' } },
        errors: [
          'confirmationInvalid',
          secondFactorRequired(factorKinds()),
          'invalidCredentials',
          'tooManyLoginAttempts',
        ],
      },
      schema: {
        ...named,
        summary: 'Set a new password by the link or the code; all logins of the account end',
        body: FinishReset,
        response: { 200: Message },
      },
      handler: async (request) => {
        const { new_password: newPassword, ...factor } = request.body
        const address = loginAddress(request)
        const confirmation = await openProof(confirmations, proofOf(request.body), resetPurposes)
        if (newPassword !== undefined) {
          await recovery.finish(confirmation, { newPassword, factor, address })
          return { message: 'Password changed' }
        }
        await recovery.takeBack(confirmation, { factor, address })
        return { message: 'Account deletion taken back' }
      },
    })
  }
}

/** @throws ApiError validationFailed unless exactly one is given and valid */
function identifierOf({ email, username }: { email?: string; username?: string }): ResetIdentifier {
  if (email !== undefined && username === undefined) {
    return (
      parseEmailIdentifier(email) ??
      refuseField(['email'], {
        en: 'must be an e-mail address',
        de: 'muss eine E-Mail-Adresse sein',
      })
    )
  }
  if (username !== undefined && email === undefined) {
    return (
      parseUsernameIdentifier(username) ??
      refuseField(['username'], { en: 'can be no username', de: 'kann kein Benutzername sein' })
    )
  }
  return refuseField(['email'], {
    en: 'is required, unless username is given; not both',
    de: 'fehlt, wenn username nicht angegeben ist; nicht beide',
  })
}
