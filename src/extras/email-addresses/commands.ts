import { isEmail } from '../../core/addresses/email.ts'
import { type CommandWork, UsageError } from '../../core/cli/command.ts'
import { withAccount } from '../../modules/accounts/commands.ts'

export const commands: readonly CommandWork[] = [
  {
    name: 'account email',
    example: 'account email ann ann@example.org',
    async run(call) {
      const [, address] = call.operands
      if (address !== undefined && !isEmail(address)) {
        throw new UsageError(`${address} is no e-mail address`)
      }
      await withAccount(call, ['emails', 'users'], async (account, { emails, users }) => {
        const { userId, username } = account
        if (address !== undefined) await users.merge(userId, { email: address })
        const { showToAdministrator } = await import('./schemas.ts')
        const user = await users.byId(userId)
        const own = await emails.of(userId)
        const { email: verified_email = null, ...others } = own ? showToAdministrator(own) : {}
        const shown = { username, email: user?.email ?? null, verified_email, ...others }
        if (address === undefined) return call.output.record(shown)
        call.output.result(shown, `${username} has the email address ${address}`)
      })
    },
  },
]
