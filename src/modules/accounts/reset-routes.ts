import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../core/errors.ts'
import { reauthorize } from '../../core/http/changes/reauthorize.ts'
import { goneMeanwhile } from '../../core/http/changes/resource.ts'
import { type App, named as describe, exactly, Text } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { generatedPassword } from '../../core/password-strength/generated-password.ts'
import { role } from '../../core/policy/rules.ts'
import type { Account } from '../authentication/account.ts'
import { accountNamed, assertNotOwn } from './look-up.ts'
import { AccountName, examplePasswords } from './schemas.ts'

const ResetPassword = describe(
  'OneTimePassword',
  exactly({
    username: Text,
    password: { type: 'string', description: 'Told once; the next login must set another' },
  }),
  { username: 'ann', password: examplePasswords.next },
)

const maxTries = 5

/**
 * Generates a one-time password; the administrator does not choose it, and the next login must
 * replace it. ASVS 6.4.6.
 */
export async function routes(app: App, { accounts, config, random }: Needs): Promise<void> {
  const named = accountNamed(accounts)
  app.post(
    '/api/admin/accounts/:username/password',
    {
      config: {
        access: { rule: role('ADMIN') },
        resource: named,
        reauthentication: 'always',
      },
      schema: {
        operationId: 'resetPassword',
        summary: 'Reset the password of an account; all its sessions and tokens end',
        params: AccountName,
        response: { 200: ResetPassword },
      },
    },
    async (request) => {
      const account = named.of(request)
      assertNotOwn(request, account)
      const password = await reset(account, request)
      return { username: account.username, password }
    },
  )

  async function reset({ userId }: Account, request: FastifyRequest): Promise<string> {
    for (let tries = 1; ; tries += 1) {
      const text = generatedPassword(random, config.password.minLength)
      try {
        const wanted = { password: { text, field: 'password' }, mustChange: true }
        const guard = reauthorize(request)
        if (await accounts.change(userId, wanted, { guard })) return text
        throw goneMeanwhile('accountNotFound')
      } catch (error) {
        // Retry if the generated password contains a short username by chance.
        const isUnlucky = error instanceof ApiError && error.row === 'validationFailed'
        if (!isUnlucky || tries === maxTries) throw error
      }
    }
  }
}
