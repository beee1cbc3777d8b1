import { ApiError } from '../../core/errors.ts'
import { reauthorize } from '../../core/http/changes/reauthorize.ts'
import { goneMeanwhile } from '../../core/http/changes/resource.ts'
import { type App, Message } from '../../core/http/schemas.ts'
import type { Needs } from '../../core/module/services.ts'
import { role } from '../../core/policy/rules.ts'
import { accountNamed, assertNotOwn } from '../../modules/accounts/look-up.ts'
import { AccountName } from '../../modules/accounts/schemas.ts'
import { AccountEmailBody, showToAdministrator } from './schemas.ts'

const access = { rule: role('ADMIN') }

/** GET and DELETE. Administrators cannot set an address: the mailbox must be proved. */
export async function routes(app: App, { accounts, emails }: Needs): Promise<void> {
  const named = accountNamed(accounts)

  app.get(
    '/api/admin/accounts/:username/email',
    {
      config: { tag: 'Administration of accounts', access, resource: named },
      schema: {
        operationId: 'getAccountEmail',
        summary: 'The verified mail address of an account, and whether mail to it is refused',
        params: AccountName,
        response: { 200: AccountEmailBody },
      },
    },
    async (request) => {
      const email = await emails.of(named.of(request).userId)
      if (!email) throw goneMeanwhile('accountNotFound')
      return showToAdministrator(email)
    },
  )

  app.delete(
    '/api/admin/accounts/:username/email',
    {
      config: {
        tag: 'Administration of accounts',
        access,
        resource: named,
        reauthentication: 'always',
        errors: ['emailNotVerified'],
        examples: { answer: { message: 'Email removed' } },
      },
      schema: {
        operationId: 'removeAccountEmail',
        summary: 'Remove the verified mail address of an account; links that were mailed end',
        params: AccountName,
        response: { 200: Message },
      },
    },
    async (request) => {
      const account = named.of(request)
      assertNotOwn(request, account)
      if (!(await emails.remove(account.userId, reauthorize(request)))) {
        const reason = { code: 'email_not_verified', facts: { user_id: account.userId } } as const
        throw new ApiError('emailNotVerified', { reason })
      }
      return { message: 'Email removed' }
    },
  )
}
