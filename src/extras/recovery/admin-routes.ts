import { fewFieldsBytes, noneIsEmpty } from '../../core/http/bodies/bodies.ts'
import { reauthorize } from '../../core/http/changes/reauthorize.ts'
import type { App } from '../../core/http/schemas.ts'
import { isoTime } from '../../core/lib/clock.ts'
import type { Needs } from '../../core/module/services.ts'
import { role } from '../../core/policy/rules.ts'
import { accountNamed, assertNotOwn } from '../../modules/accounts/look-up.ts'
import { AccountName } from '../../modules/accounts/schemas.ts'
import { mailUnavailable } from '../mail/problems.ts'
import { accountUnusable } from './problems.ts'
import { BeginResetFor, BegunResetFor } from './schemas.ts'

/** The mailed link is hidden from the administrator. ASVS 6.4.6. */
export async function routes(app: App, { accounts, config, recovery }: Needs): Promise<void> {
  const named = accountNamed(accounts)
  app.post(
    '/api/admin/accounts/:username/reset',
    {
      config: {
        access: { rule: role('ADMIN') },
        tag: 'Administration of accounts',
        resource: named,
        reauthentication: 'always',
        body: 'optional',
        maxBodyBytes: fewFieldsBytes,
        errors: [accountUnusable, 'emailNotVerified', 'emailExists', mailUnavailable],
      },
      preValidation: noneIsEmpty,
      schema: {
        operationId: 'beginAccountReset',
        summary: 'Mail the owner of an account a link that sets a new password',
        params: AccountName,
        body: BeginResetFor,
        response: { 202: BegunResetFor },
      },
    },
    async (request, reply) => {
      const account = named.of(request)
      assertNotOwn(request, account)
      const { email } = request.body
      const options = { language: config.pages.language, guard: reauthorize(request) }
      const { expiresAt } = await recovery.beginFor(account, email, options)
      return reply.status(202).send({ message: 'Reset mailed', expires_at: isoTime(expiresAt) })
    },
  )
}
