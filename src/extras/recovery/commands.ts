import { type CommandCall, type CommandWork, textOf } from '../../core/cli/command.ts'
import { withAccount } from '../../modules/accounts/commands.ts'

export const commands: readonly CommandWork[] = [
  {
    name: 'account reset',
    options: {
      email: {
        type: 'string',
        value: 'address',
        doc: 'that of the owner, for an account without a verified one; the reset verifies it',
      },
    },
    example: 'account reset ann --email ann@example.org',
    run: reset,
  },
]

/** The service sends the mail from the outbox. */
function reset(call: CommandCall): Promise<void> {
  return withAccount(call, ['recovery'], async (account, { recovery }) => {
    const { isoTime } = await import('../../core/lib/clock.ts')
    const how = { language: call.config.pages.language }
    const { expiresAt } = await recovery.beginFor(account, textOf(call, 'email'), how)
    const { username } = account
    const expires_at = isoTime(expiresAt)
    call.output.result(
      { username, expires_at },
      `a mail for ${username} is in the outbox; its link counts until ${expires_at}`,
    )
  })
}
