import { ApiError } from '../../core/errors.ts'
import { fewFieldsBytes } from '../../core/http/bodies/bodies.ts'
import { type App, exactly, Message, named, rolesOf, Text, Time } from '../../core/http/schemas.ts'
import { isoTime } from '../../core/lib/clock.ts'
import type { Needs } from '../../core/module/services.ts'
import { type Role, rolesAmong } from '../../core/policy/principal.ts'
import { authenticated } from '../../core/policy/rules.ts'
import {
  acceptedProofs,
  confirmationRequired,
  proofsIn,
  sentProofs,
} from '../authentication/proof-schemas.ts'
import { captchaRequired } from '../throttle/schemas.ts'
import { ann, UserBody } from '../users/schemas.ts'
import { ownAccount, ownAccountPrefixes, ownOperationId } from './look-up.ts'
import { changeOwnPassword } from './own-password.ts'
import { annsAccount, examplePasswords, Password } from './schemas.ts'

export const prefixes = ownAccountPrefixes

const ownAccountSchema = (roles: readonly Role[]) =>
  named(
    'OwnAccount',
    exactly({
      username: Text,
      roles: rolesOf(roles),
      second_factor: { type: 'boolean' },
      user: UserBody,
      created_at: Time,
    }),
    {
      username: annsAccount.username,
      roles: annsAccount.roles,
      second_factor: annsAccount.second_factor,
      user: ann,
      created_at: annsAccount.created_at,
    },
  )

const ChangePassword = {
  type: 'object',
  required: ['new_password'],
  // Validated as text: earlier versions answer 400 to another type.
  properties: { new_password: Password, ...acceptedProofs, current_password: Text },
} as const

const SentChange = named(
  'PasswordChange',
  { ...ChangePassword, properties: { new_password: Password, ...sentProofs } },
  { current_password: examplePasswords.present, new_password: examplePasswords.next },
)

const access = { rule: authenticated }

/** Below /api/user/account (role USER) and /api/account (any account). */
export async function routes(app: App, options: Needs): Promise<void> {
  const { accounts, config, users } = options
  const idOf = (id: string) => ownOperationId(id, app.prefix)

  app.get(
    '',
    {
      config: { tag: 'Own account', access, scope: 'account:read', errors: ['accountNotFound'] },
      schema: {
        operationId: idOf('getOwnAccount'),
        summary: "One's own account and user",
        response: { 200: ownAccountSchema(config.roles) },
      },
    },
    async (request) => {
      const account = await ownAccount(accounts, request)
      const user = await users.byId(account.userId)
      if (!user) {
        const reason = { code: 'no_own_user', facts: { user_id: account.userId } } as const
        throw new ApiError('accountNotFound', { reason })
      }
      return {
        username: account.username,
        roles: rolesAmong(account.roles, config.roles),
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
        tag: 'Own account',
        access,
        reauthentication: 'always',
        body: 'json',
        sends: SentChange,
        maxBodyBytes: fewFieldsBytes,
        errors: [
          'invalidCredentials',
          confirmationRequired,
          captchaRequired,
          'accountNotFound',
          'tooManyLoginAttempts',
        ],
        examples: { answer: { message: 'Password changed' } },
      },
      schema: {
        operationId: idOf('changeOwnPassword'),
        summary: 'Change the password; all other sessions and all tokens end',
        body: ChangePassword,
        response: { 200: Message },
      },
    },
    async (request) => {
      const account = await ownAccount(accounts, request)
      const { new_password: wanted } = request.body
      await changeOwnPassword(options, request, { account, sent: proofsIn(request.body), wanted })
      return { message: 'Password changed' }
    },
  )
}
