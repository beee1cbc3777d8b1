import { type Command, CommandError, exitCodes } from '../../src/cli/command.ts'
import { withServices } from '../../src/cli/work.ts'
import { canonicalUsername } from '../../src/kernel/username.ts'
import { createNotes } from './notes.ts'

export const commands: readonly Command[] = [
  {
    name: 'note key',
    operands: ['username'],
    summary: 'Makes a key for a device of the account, and shows it once',
    example: 'note key ann',
    run: (call) =>
      withServices(call, async ({ accounts }, deps) => {
        const username = canonicalUsername(call.operands[0] ?? '')
        const account = username === null ? null : await accounts.byUsername(username)
        if (!account) throw new CommandError('no such account', exitCodes.notFound.code)
        const key = await createNotes(deps).makeKey(account.userId)
        call.output.result({ key }, `key  ${key}   (shown once)`)
      }),
  },
]
