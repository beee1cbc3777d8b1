import {
  type CommandCall,
  CommandError,
  type CommandWork,
  exitCodes,
  textOf,
  UsageError,
} from '../../core/cli/command.ts'
import { withServices } from '../../core/cli/work.ts'
import { canonicalUsername } from '../../core/lib/username.ts'
import { escapedLine } from '../../core/runtime/log-lines.ts'

export const commands: readonly CommandWork[] = [
  {
    name: 'account data',
    options: {
      user: {
        type: 'string',
        value: 'id',
        doc: 'the number of a user, also of one without account',
      },
    },
    example: 'account data ann > ann.json',
    run: data,
  },
]

async function data(call: CommandCall): Promise<void> {
  const [text] = call.operands
  const id = textOf(call, 'user')
  if ((text === undefined) === (id === undefined)) {
    throw new UsageError('give a username, or --user with the number of a user')
  }
  if (id !== undefined && !/^[1-9][0-9]{0,14}$/.test(id)) {
    throw new UsageError('--user is the number of a user')
  }
  await withServices(
    call,
    ['accounts', 'personalData', 'users'],
    async ({ accounts, personalData, users }) => {
      const username = text === undefined ? null : canonicalUsername(text)
      const account = username && (await accounts.byUsername(username))
      const userId = id === undefined ? account?.userId : (await users.byId(Number(id)))?.id
      if (userId === undefined)
        throw new CommandError('there is no such person', exitCodes.notFound.code)
      await call.output.stream(escaped(personalData.of(userId)))
    },
  )
}

/** Without what could steer a terminal; the values of the JSON stay the same. */
async function* escaped(texts: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const text of texts) yield escapedLine(text)
}
