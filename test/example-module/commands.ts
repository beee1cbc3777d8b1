import { CommandError, type CommandWork, exitCodes } from '../../src/core/cli/command.ts'
import { withServices } from '../../src/core/cli/work.ts'
import { canonicalUsername } from '../../src/core/lib/username.ts'

export const commands: readonly CommandWork[] = [
  {
    name: 'note key',
    example: 'note key ann',
    run: (call) =>
      withServices(call, ['accounts', 'notes'], async ({ accounts, notes }) => {
        const username = canonicalUsername(call.operands[0] ?? '')
        const account = username === null ? null : await accounts.byUsername(username)
        if (!account) throw new CommandError('no such account', exitCodes.notFound.code)
        const key = await notes.makeKey(account.userId)
        call.output.result({ key }, `key  ${key}   (shown once)`)
      }),
  },
]
