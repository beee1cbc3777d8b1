import { isEmail } from '../../core/addresses/email.ts'
import {
  type CommandCall,
  CommandError,
  type CommandWork,
  exitCodes,
  textOf,
  UsageError,
} from '../../core/cli/command.ts'
import { assertMayConfirm, confirm, yesOption } from '../../core/cli/confirm.ts'
import { withServices } from '../../core/cli/work.ts'
import { batchesOf } from '../../core/database/batches.ts'
import { codePointLength, isStorableText } from '../../core/lib/text.ts'
import { CreateUser } from './schemas.ts'
import type { NewUser } from './user.ts'

export const userOptions = {
  name: { type: 'string', value: 'name', doc: 'of the new user' },
  email: { type: 'string', value: 'address', doc: 'of the new user' },
} as const

export const commands: readonly CommandWork[] = [
  {
    name: 'user add',
    options: userOptions,
    example: "user add --name 'Ann Lee' --email ann@example.org",
    async run(call) {
      const wanted = parseUser(call)
      await withServices(call, ['users'], async ({ users }) => {
        const user = await users.create(wanted)
        call.output.result(user, `user ${user.id} is made`)
      })
    },
  },
  {
    name: 'user list',
    example: 'user list --json',
    run: (call) =>
      withServices(call, ['users'], async ({ users }) => {
        const batches = batchesOf({
          from: 0,
          read: (afterId, limit) => users.slice(limit, { afterId }),
          placeOf: ({ id }) => id,
        })
        await call.output.list(batches, (user) => ({ ...user }))
      }),
  },
  {
    name: 'user delete',
    options: yesOption,
    example: 'user delete 12 --yes',
    run: remove,
  },
]

async function remove(call: CommandCall): Promise<void> {
  const [text = ''] = call.operands
  if (!/^[1-9][0-9]{0,14}$/.test(text)) throw new UsageError('a user has a number')
  assertMayConfirm(call)
  await withServices(call, ['users'], async ({ users }) => {
    const id = Number(text)
    const found = await users.byId(id)
    if (!found) throw noUser(id)
    await confirm(call, `Delete user ${id}, ${found.name}? An account of the user is deleted too.`)
    const user = await users.remove(id)
    if (!user) throw noUser(id)
    call.output.result(user, `user ${id} is deleted`)
  })
}

function noUser(id: number): CommandError {
  return new CommandError(`there is no user ${id}`, exitCodes.notFound.code)
}

/** By the rules of the users resource. @throws UsageError */
export function parseUser(call: CommandCall, defaultName?: string): NewUser {
  const { maxLength } = CreateUser.properties.name
  const name = textOf(call, 'name') ?? defaultName
  const email = textOf(call, 'email')
  if (name === undefined) throw new UsageError('a new user needs --name')
  if (email === undefined) throw new UsageError('a new user needs --email')
  if (name === '' || codePointLength(name) > maxLength || !isStorableText(name)) {
    throw new UsageError(`--name must have 1 to ${maxLength} characters`)
  }
  if (!isEmail(email)) throw new UsageError('--email must be an e-mail address')
  return { name, email }
}
