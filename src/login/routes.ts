import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Account } from '../accounts/account.ts'
import type { Config } from '../config.ts'
import { acceptForms } from '../http/bodies.ts'
import type { LoginAddress } from '../http/login-address.ts'
import { isForeignPage } from '../http/origin.ts'
import type { SchemaTypes } from '../http/schemas.ts'
import type { Clock } from '../kernel/clock.ts'
import { ApiError } from '../kernel/errors.ts'
import { anyone } from '../policy/rules.ts'
import { startSession } from '../session/browser.ts'
import type { Sessions } from '../session/sessions.ts'
import type { LoginMode } from '../settings-table.ts'
import type { Tokens } from '../token/tokens.ts'
import { type LogInDeps, logIn } from './log-in.ts'
import { LoginAnswer, LoginBody } from './schemas.ts'

/** Login room, spec 4.1, 3.1, 3.3: POST /login, in three modes, by form and by JSON. */
export interface LoginRoutesOptions extends LogInDeps {
  readonly config: Pick<Config, 'http' | 'baseUrl' | 'login' | 'session' | 'token'>
  readonly clock: Clock
  readonly loginAddress: LoginAddress
  readonly sessions: Sessions
  readonly tokens: Tokens
}

export async function loginRoutes(
  instance: FastifyInstance,
  options: LoginRoutesOptions,
): Promise<void> {
  const { config, clock, events, tokens } = options
  const app = instance.withTypeProvider<SchemaTypes>()
  acceptForms(app)

  app.post(
    '/login',
    {
      config: {
        access: { rule: anyone },
        body: 'form',
        describes: LoginAnswer,
        errors: [
          'invalidCredentials',
          'captchaRequired',
          'accessDenied',
          'secondFactorRequired',
          'passwordChangeRequired',
          'enrolmentRequired',
          'tooManyLoginAttempts',
        ],
      },
      schema: {
        summary: 'Log in',
        body: LoginBody,
      },
    },
    async (request, reply) => {
      // A page of another site must not log its visitor in as somebody else.
      if (isForeignPage(request, config)) throw new ApiError('accessDenied')
      const { username, password, mode, captcha, new_password, totp, recovery_code } = request.body
      const give = answers[mode ?? defaultMode(request)]
      return logIn(
        options,
        {
          username: typeof username === 'string' ? username : '',
          password: typeof password === 'string' ? password : '',
          captcha,
          totp,
          recoveryCode: recovery_code,
          newPassword: new_password,
          address: options.loginAddress(request),
        },
        {
          give: (account) => give(account, request, reply),
          enrolmentToken: (account) => tokens.issueEnrolment(account),
        },
      )
    },
  )

  type Answer = (account: Account, request: FastifyRequest, reply: FastifyReply) => Promise<object>

  const answers: Record<LoginMode, Answer> = {
    async session(account, request, reply) {
      const csrfToken = await startSession(options, account, request, reply)
      return { message: 'Logged in', csrf_token: csrfToken }
    },

    async token(account) {
      const seconds = config.token.singleSeconds
      const token = await tokens.issueAccess(account, { seconds, authenticatedAt: clock.now() })
      events.record('authn_token_created', { user_id: account.userId, by: 'login' })
      return { token, token_type: 'Bearer', expires_in: seconds }
    },

    async pair(account) {
      const seconds = config.token.accessSeconds
      const authenticatedAt = clock.now()
      const pair = await tokens.issuePair(account, { seconds, authenticatedAt })
      events.record('authn_token_created', { user_id: account.userId, by: 'login' })
      return {
        access_token: pair.accessToken,
        refresh_token: pair.refreshToken,
        token_type: 'Bearer',
        expires_in: seconds,
      }
    },
  }

  function defaultMode(request: FastifyRequest): LoginMode {
    const isForm = request.headers['content-type']
      ?.toLowerCase()
      .startsWith('application/x-www-form')
    return isForm ? config.login.formMode : config.login.jsonMode
  }
}
