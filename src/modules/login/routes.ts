import type { FastifyRequest } from 'fastify'
import { acceptForms } from '../../core/http/bodies/bodies.ts'
import { mediaTypes } from '../../core/http/media-types.ts'
import type { App } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { anyone } from '../../core/policy/rules.ts'
import { byPassword } from '../accounts/password-method.ts'
import { isSent } from '../factors/factors.ts'
import { loginPurpose } from '../factors/kinds.ts'
import { secondFactorRequired } from '../factors/schemas.ts'
import { byPasskey } from '../passkeys/passkey-login.ts'
import { captchaRequired } from '../throttle/schemas.ts'
import { enrolmentRequired } from '../tokens/schemas.ts'
import { answerLogin } from './answers.ts'
import { logIn, logInByPasskey } from './log-in.ts'
import { LoginAnswer, LoginBody, loginExamples, SentLogin } from './schemas.ts'
import type { LoginMode } from './settings.ts'

/** Spec 3.1, 3.3, 4.1. */
export async function routes(app: App, options: Needs): Promise<void> {
  const { config } = options
  acceptForms(app)

  app.post(
    '/login',
    {
      config: {
        access: { rule: anyone },
        csrf: 'foreignPage', // blocks cross-site logins
        body: 'form',
        sends: SentLogin,
        examples: { bodies: loginExamples },
        answers: { 200: { [mediaTypes.json]: LoginAnswer } },
        responseHeaders: ['set-cookie'],
        errors: [
          'invalidCredentials',
          captchaRequired,
          secondFactorRequired(options.factorKinds()),
          'passwordChangeRequired',
          enrolmentRequired,
          'tooManyLoginAttempts',
        ],
      },
      schema: {
        operationId: 'logIn',
        summary: 'Log in',
        body: LoginBody,
      },
    },
    async (request, reply) => {
      const { username, password, mode: asked, captcha, new_password, ...factor } = request.body
      const mode = asked ?? defaultMode(request)
      if (username === undefined && password === undefined && isSent(factor.passkey)) {
        const sent = { sent: factor.passkey, purpose: loginPurpose }
        const login = byPasskey(options, { ...sent, address: options.loginAddress(request) })
        return answerLogin(options, mode, request, reply, (result) =>
          logInByPasskey(options, login, result),
        )
      }
      const credentials = {
        username: typeof username === 'string' ? username : '',
        password: typeof password === 'string' ? password : '',
        captcha,
        address: options.loginAddress(request),
      }
      const sent = {
        ...factor,
        password: credentials.password,
        newPassword: new_password,
      }
      const login = { ...byPassword(options, credentials), sent }
      return answerLogin(options, mode, request, reply, (result) => logIn(options, login, result))
    },
  )

  function defaultMode(request: FastifyRequest): LoginMode {
    const isForm = request.headers['content-type']
      ?.toLowerCase()
      .startsWith('application/x-www-form')
    return isForm ? config.login.formMode : config.login.jsonMode
  }
}
