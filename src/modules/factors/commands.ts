import { CommandError, type CommandWork, exitCodes } from '../../core/cli/command.ts'
import { withAccount } from '../accounts/commands.ts'

/** The commands that list and remove factors, as the routes of administration do. */
export const commands: readonly CommandWork[] = [
  {
    name: 'factor list',
    example: 'factor list ann',
    run: (call) =>
      withAccount(call, ['factors'], async ({ userId }, { factors }) => {
        const { showFactor } = await import('./schemas.ts')
        call.output.rows((await factors.of(userId)).map(showFactor))
      }),
  },
  {
    name: 'factor remove',
    example: 'factor remove ann totp',
    run: (call) =>
      withAccount(call, ['factors'], async (account, { factors }) => {
        const [, id = ''] = call.operands
        const { username, userId } = account
        if (!(await factors.of(userId)).some((factor) => factor.id === id)) {
          throw new CommandError(`${username} has no factor ${id}`, exitCodes.notFound.code)
        }
        await factors.remove(account, { id })
        call.output.result({ username, factor: id }, `the factor ${id} of ${username} is removed`)
      }),
  },
]
