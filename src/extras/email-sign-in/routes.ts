import { parseEmail } from '../../core/addresses/email.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { ApiError, refuseField } from '../../core/errors.ts'
import { fewFieldsBytes } from '../../core/http/bodies/bodies.ts'
import { mediaTypes } from '../../core/http/media-types.ts'
import type { App } from '../../core/http/schemas.ts'
import { isoTime } from '../../core/lib/clock.ts'
import type { Needs } from '../../core/module/services.ts'
import { anyone } from '../../core/policy/rules.ts'
import type { Accounts } from '../../modules/accounts/accounts.ts'
import { secondFactorRequired } from '../../modules/factors/schemas.ts'
import { answerLogin } from '../../modules/login/answers.ts'
import { logIn } from '../../modules/login/log-in.ts'
import { LoginAnswer } from '../../modules/login/schemas.ts'
import { enrolmentRequired } from '../../modules/tokens/schemas.ts'
import { mailUnavailable } from '../mail/problems.ts'
import { completing } from '../one-time-tokens/completing.ts'
import { openProof, proofOf } from '../one-time-tokens/proof.ts'
import { BegunConfirmation } from '../one-time-tokens/schemas.ts'
import { signInPurposes } from './email-login.ts'
import { BeginEmailLogin, FinishEmailLogin, finishExamples, SentEmailLogin } from './schemas.ts'

const guards = {
  access: { rule: anyone },
  csrf: 'foreignPage',
  body: 'json',
  maxBodyBytes: fewFieldsBytes,
  tag: 'Sign in',
} as const

/** JSON, for programs with their own pages. */
export async function routes(app: App, options: Needs): Promise<void> {
  const { accounts, config, confirmations, emailLogin, limits, loginAddress } = options
  // Requests with a code have no captcha field.
  const counted = { attempt: limits.attemptCode }

  app.post(
    '/api/public/sign-in-code',
    {
      config: { ...guards, errors: ['routeNotFound', 'tooManyRequests', mailUnavailable] },
      schema: {
        operationId: 'beginEmailLogin',
        summary: 'Sign in by mail: a link and a code. The answer shows no account',
        body: BeginEmailLogin,
        response: { 202: BegunConfirmation },
      },
    },
    async (request, reply) => {
      assertOn()
      const { email, language = config.pages.language } = request.body
      const address =
        parseEmail(email) ??
        refuseField(['email'], {
          en: 'must be an e-mail address',
          de: 'muss eine E-Mail-Adresse sein',
        })
      const how = { language, client: loginAddress(request), flow: null }
      const { id, expiresAt } = await emailLogin.begin(address, how)
      return reply.status(202).send({ id, expires_at: isoTime(expiresAt) })
    },
  )

  for (const { named, ...at } of completing('/api/public/sign-in-code', 'EmailLogin')) {
    app.route({
      ...at,
      config: {
        ...guards,
        sends: SentEmailLogin,
        examples: { bodies: finishExamples },
        answers: { 200: { [mediaTypes.json]: LoginAnswer } },
        responseHeaders: ['set-cookie'],
        errors: [
          'routeNotFound',
          'confirmationInvalid',
          'invalidCredentials',
          secondFactorRequired(options.factorKinds()),
          'passwordChangeRequired',
          enrolmentRequired,
          'tooManyLoginAttempts',
        ],
      },
      schema: {
        ...named,
        summary: 'Log in by the link or the code of a mail, which count once',
        body: FinishEmailLogin,
      },
      handler: async (request, reply) => {
        assertOn()
        const { mode, new_password, ...factor } = request.body
        const confirmation = await openProof(confirmations, proofOf(request.body), signInPurposes)
        const method = await emailLogin.method(confirmation, loginAddress(request))
        const sent = { ...factor, newPassword: new_password }
        // A new password can invalidate all links, so the link is used up first.
        let isUsed = false
        const use = async (trx: DatabaseOrTransaction) => {
          if (!isUsed) await confirmations.use(trx, confirmation)
        }
        const replacePassword: Accounts['replacePassword'] = async (account, wanted) => {
          const changed = await accounts.replacePassword(account, { ...wanted, first: use })
          isUsed = true
          return changed
        }
        const deps = { ...options, limits: counted, accounts: { ...accounts, replacePassword } }
        return answerLogin(options, mode ?? config.login.jsonMode, request, reply, (result) =>
          logIn(
            deps,
            { ...method, sent },
            {
              ...result,
              async issue(trx, present) {
                await use(trx)
                return result.issue(trx, present)
              },
            },
          ),
        )
      },
    })
  }

  function assertOn(): void {
    if (config.emailSignIn) return
    throw new ApiError('routeNotFound', { reason: { code: 'sign_in_by_mail_off' } })
  }
}
