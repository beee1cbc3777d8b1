import { parseEmail } from '../../core/addresses/email.ts'
import { refuseField } from '../../core/errors.ts'
import { fewFieldsBytes } from '../../core/http/bodies/bodies.ts'
import { reauthorize } from '../../core/http/changes/reauthorize.ts'
import { goneMeanwhile } from '../../core/http/changes/resource.ts'
import { type App, Message } from '../../core/http/schemas.ts'
import { isoTime } from '../../core/lib/clock.ts'
import type { Needs } from '../../core/module/services.ts'
import { authenticated } from '../../core/policy/rules.ts'
import { ownAccount, ownAccountPrefixes, ownOperationId } from '../../modules/accounts/look-up.ts'
import { confirmationRequired, proofsIn } from '../../modules/authentication/proof-schemas.ts'
import { captchaRequired } from '../../modules/throttle/schemas.ts'
import { mailUnavailable } from '../mail/problems.ts'
import { BegunConfirmation } from '../one-time-tokens/schemas.ts'
import { EmailInput, LanguageInput, OwnEmailBody, SentEmail, showOwn } from './schemas.ts'

export const prefixes = ownAccountPrefixes

const access = { rule: authenticated }

/** Below /api/user/account (role USER) and /api/account (any account). */
export async function routes(
  app: App,
  { accounts, config, emails, loginAddress, proofs }: Needs,
): Promise<void> {
  const idOf = (id: string) => ownOperationId(id, app.prefix)

  app.get(
    '/email',
    {
      config: { access, errors: ['accountNotFound'] },
      schema: {
        operationId: idOf('getOwnEmail'),
        summary: "One's own verified mail address, and the one that waits for its proof",
        response: { 200: OwnEmailBody },
      },
    },
    async (request) => {
      const { userId } = await ownAccount(accounts, request)
      const own = await emails.of(userId)
      if (!own) throw goneMeanwhile('accountNotFound')
      return showOwn(own)
    },
  )

  app.put(
    '/email',
    {
      config: {
        access,
        reauthentication: 'always',
        body: 'json',
        sends: SentEmail,
        maxBodyBytes: fewFieldsBytes,
        errors: [
          'accountNotFound',
          'invalidCredentials',
          confirmationRequired,
          captchaRequired,
          mailUnavailable,
          'tooManyLoginAttempts',
          'tooManyRequests',
        ],
      },
      schema: {
        operationId: idOf('changeOwnEmail'),
        summary: 'Mail a link to an address, which counts once it is confirmed there',
        body: EmailInput,
        response: { 202: BegunConfirmation },
      },
    },
    async (request, reply) => {
      const address = parseEmail(request.body.email)
      if (!address)
        return refuseField(['email'], {
          en: 'must be an e-mail address',
          de: 'muss eine E-Mail-Adresse sein',
        })
      emails.assertAvailable()
      const account = await ownAccount(accounts, request)
      const sent = proofsIn(request.body)
      const guard = await proofs.prove(request, { account, change: 'email', sent })
      const { id, expiresAt } = await emails.begin(account, address, {
        guard,
        language: config.pages.language,
        client: loginAddress(request),
        flow: null,
      })
      return reply.status(202).send({ id, expires_at: isoTime(expiresAt) })
    },
  )

  app.delete(
    '/email',
    {
      config: {
        access,
        reauthentication: 'always',
        errors: ['accountNotFound'],
        examples: { answer: { message: 'No address waits for its proof' } },
      },
      schema: {
        operationId: idOf('cancelOwnEmail'),
        summary: 'Give up the address that waits for its proof; the verified one stays',
        response: { 200: Message },
      },
    },
    async (request) => {
      await emails.cancel(await ownAccount(accounts, request), reauthorize(request))
      return { message: 'No address waits for its proof' }
    },
  )

  app.put(
    '/language',
    {
      config: {
        access,
        body: 'json',
        maxBodyBytes: fewFieldsBytes,
        errors: ['accountNotFound'],
        examples: { answer: { message: 'Language changed' } },
      },
      schema: {
        operationId: idOf('changeOwnLanguage'),
        summary: 'Choose the language of pages and mail',
        body: LanguageInput,
        response: { 200: Message },
      },
    },
    async (request) => {
      const account = await ownAccount(accounts, request)
      await emails.setLanguage(account, request.body.language, reauthorize(request))
      return { message: 'Language changed' }
    },
  )
}
