import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../../core/config/load.ts'
import { acceptForms } from '../../core/http/bodies/bodies.ts'
import type { LoginAddress } from '../../core/http/limits/login-address.ts'
import { mediaTypes } from '../../core/http/media-types.ts'
import type { SchemaTypes } from '../../core/http/schemas.ts'
import { anyone } from '../../core/policy/rules.ts'
import { byPassword, type PasswordMethodDeps } from '../accounts/password-method.ts'
import { captchaRequired } from '../throttle/schemas.ts'
import { enrolmentRequired } from '../tokens/schemas.ts'
import type { Tokens } from '../tokens/tokens.ts'
import { secondFactorRequired } from '../totp/schemas.ts'
import { answerLogin, type LoginAnswersDeps } from './answers.ts'
import { type LogInDeps, logIn } from './log-in.ts'
import { LoginAnswer, LoginBody, LoginRequest, loginExamples } from './schemas.ts'
import type { LoginMode } from './settings.ts'

/** POST /login, in three modes, by form and by JSON. Spec 3.1, 3.3, 4.1. */
export interface LoginRoutesOptions extends LogInDeps, PasswordMethodDeps, LoginAnswersDeps {
  readonly accounts: LogInDeps['accounts']
  readonly config: Pick<Config, 'http' | 'baseUrl' | 'login' | 'session' | 'token'>
  readonly loginAddress: LoginAddress
  readonly tokens: Tokens
}

export async function loginRoutes(
  instance: FastifyInstance,
  options: LoginRoutesOptions,
): Promise<void> {
  const { config } = options
  const app = instance.withTypeProvider<SchemaTypes>()
  acceptForms(app)

  app.post(
    '/login',
    {
      config: {
        access: { rule: anyone },
        csrf: 'foreignPage', // no login from a page of another site
        body: 'form',
        sends: LoginRequest,
        examples: { bodies: loginExamples },
        answers: { 200: { [mediaTypes.json]: LoginAnswer } },
        responseHeaders: ['set-cookie'],
        errors: [
          'invalidCredentials',
          captchaRequired,
          secondFactorRequired,
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
      const { username, password, mode, captcha, new_password, totp, recovery_code } = request.body
      const credentials = {
        username: typeof username === 'string' ? username : '',
        password: typeof password === 'string' ? password : '',
        captcha,
        address: options.loginAddress(request),
      }
      const sent = {
        password: credentials.password,
        totp,
        recoveryCode: recovery_code,
        newPassword: new_password,
      }
      const login = { ...byPassword(options, credentials), sent }
      return answerLogin(options, mode ?? defaultMode(request), request, reply, (result) =>
        logIn(options, login, result),
      )
    },
  )

  function defaultMode(request: FastifyRequest): LoginMode {
    const isForm = request.headers['content-type']
      ?.toLowerCase()
      .startsWith('application/x-www-form')
    return isForm ? config.login.formMode : config.login.jsonMode
  }
}
