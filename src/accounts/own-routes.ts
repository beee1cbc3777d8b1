import type { FastifyInstance } from 'fastify'
import { type AuthenticateDeps, authenticate } from '../authentication/attempt.ts'
import type { LoginAddress } from '../http/routes/login-address.ts'
import { stillAllowed } from '../http/routes/still-allowed.ts'
import { Message, Roles, type SchemaTypes, Text, Time } from '../http/schemas.ts'
import { fewFieldsBytes } from '../http/server/bodies.ts'
import { isoTime } from '../kernel/clock.ts'
import { ApiError } from '../kernel/errors.ts'
import { assertOtherPassword } from '../passwords/rules.ts'
import { authenticated } from '../policy/rules.ts'
import { UserBody } from '../users/schemas.ts'
import type { Users } from '../users/users.ts'
import type { Accounts } from './accounts.ts'
import { passwordChangeFail } from './events.ts'
import { ownAccount, ownSession } from './look-up.ts'
import { byPassword, type PasswordMethodDeps } from './password-method.ts'
import { Captcha, Password } from './schemas.ts'

/**
 * One's own account: GET and PUT /password below /api/user/account (role
 * USER) and /api/account (any account).
 */
export interface OwnAccountOptions extends AuthenticateDeps, PasswordMethodDeps {
  readonly accounts: Pick<Accounts, 'byUserId' | 'replacePassword' | 'reread'>
  readonly loginAddress: LoginAddress
  readonly users: Pick<Users, 'byId'>
}

const OwnAccount = {
  type: 'object',
  required: ['username', 'roles', 'second_factor', 'user', 'created_at'],
  properties: {
    username: Text,
    roles: Roles,
    second_factor: { type: 'boolean' },
    user: UserBody,
    created_at: Time,
  },
  additionalProperties: false,
} as const

const ChangePassword = {
  type: 'object',
  required: ['current_password', 'new_password'],
  properties: { current_password: Text, new_password: Password, captcha: Captcha },
} as const

const access = { rule: authenticated }

export async function ownAccountRoutes(
  instance: FastifyInstance,
  options: OwnAccountOptions,
): Promise<void> {
  const { accounts, db, loginAddress, users } = options
  const app = instance.withTypeProvider<SchemaTypes>()

  app.get(
    '',
    {
      config: { access, errors: ['accountNotFound'] },
      schema: { summary: "One's own account and user", response: { 200: OwnAccount } },
    },
    async (request) => {
      const account = await ownAccount(accounts, request)
      const user = await users.byId(account.userId)
      if (!user) throw new ApiError('accountNotFound') // it went with its user, just now
      return {
        username: account.username,
        roles: [...account.roles],
        second_factor: account.secondFactor,
        user,
        created_at: isoTime(account.createdAt),
      }
    },
  )

  app.put(
    '/password',
    {
      config: {
        access,
        reauthentication: 'always',
        body: 'json',
        maxBodyBytes: fewFieldsBytes,
        errors: [
          'invalidCredentials',
          'captchaRequired',
          'accountNotFound',
          'tooManyLoginAttempts',
        ],
      },
      schema: {
        summary: 'Change the password; all other sessions and all tokens end',
        body: ChangePassword,
        response: { 200: Message },
      },
    },
    async (request) => {
      const { current_password: password, new_password: wanted, captcha } = request.body
      const { userId, username } = await ownAccount(accounts, request)
      const sent = { username, password, captcha, address: loginAddress(request) }
      // Counted as a login: wrong ones must not make a session a way to guess.
      const shown = { ...byPassword(options, sent), failure: passwordChangeFail }
      await authenticate(options, shown, async (evidence, attempt) => {
        // Locked meanwhile: what is wrong with the new one must not tell that the present one was right.
        const account = await accounts.reread(db, evidence.account, 'commit')
        assertOtherPassword(wanted, password, 'new_password')
        await accounts.replacePassword(account, {
          text: wanted,
          field: 'new_password',
          keepSession: ownSession(request, userId),
          guard: stillAllowed(request),
          also: attempt.succeed,
        })
      })
      return { message: 'Password changed' }
    },
  )
}
