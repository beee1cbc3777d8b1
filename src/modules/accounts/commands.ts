import {
  type CommandCall,
  CommandError,
  type CommandWork,
  exitCodes,
  textOf,
  UsageError,
} from '../../core/cli/command.ts'
import type { Row } from '../../core/cli/output.ts'
import {
  assertPasswordSource,
  newPassword,
  passwordOptions,
  tellPassword,
} from '../../core/cli/secrets.ts'
import { withServices } from '../../core/cli/work.ts'
import { batchesOf } from '../../core/database/batches.ts'
import { canonicalUsername } from '../../core/lib/username.ts'
import type { Services } from '../../core/module/services.ts'
import { contractRoles, parseRole, type Role, rolesAmong } from '../../core/policy/principal.ts'
import type { Deps } from '../../core/runtime/deps.ts'
import type { Account } from '../authentication/account.ts'
import { parseUser, userOptions } from '../users/commands.ts'
import type { Accounts } from './accounts.ts'
import { newUsername } from './new-username.ts'

export const commands: readonly CommandWork[] = [
  {
    name: 'account add',
    options: {
      role: {
        type: 'string',
        multiple: true,
        value: 'role',
        values: contractRoles,
        doc: `${contractRoles.join(', ')}; again for more; USER by default`,
      },
      ...userOptions,
      user: { type: 'string', value: 'id', doc: 'an existing user, in place of a new one' },
      service: {
        type: 'boolean',
        doc: 'an account of a program: no password and no login, but keys (`api-key create`)',
      },
      ...passwordOptions,
    },
    example: 'account add ann --email ann@example.org --role USER --role EDITOR',
    run: add,
  },
  {
    name: 'account list',
    options: {
      role: {
        type: 'string',
        value: 'role',
        values: contractRoles,
        doc: 'only accounts with this role',
      },
      locked: {
        type: 'boolean',
        doc: 'only locked accounts, by an administrator or by failed logins',
      },
      disabled: { type: 'boolean', doc: 'only disabled accounts' },
    },
    example: 'account list --role ADMIN --json',
    run: list,
  },
  {
    name: 'account show',
    example: 'account show ann',
    run: show,
  },
]

async function add(call: CommandCall): Promise<void> {
  const [text = ''] = call.operands
  const username = newUsername(text)
  if (!username) {
    throw new UsageError(
      'a username has 1 to 64 characters, no colon, no control or zero-width character',
    )
  }
  if (call.values.service === true) return addService(call, text)
  assertPasswordSource(call)
  const wanted = {
    username,
    roles: wantedRoles(call),
    user: userOf(call, text),
  }
  await withServices(call, ['accounts'], async ({ accounts }, { random }) => {
    const show = await accountView(call)
    const password = await newPassword(call, username, random)
    const account = await accounts.create({
      ...wanted,
      password: password.text,
      mustChange: password.mustChange,
    })
    await tellPassword(
      call,
      password,
      show(account),
      `${username} is made, for user ${account.userId}, with ${rolesOf(call, account)}`,
    )
  })
}

function wantedRoles(call: CommandCall): Role[] {
  return parseRoles(call, call.values.role === undefined ? ['USER'] : [call.values.role].flat())
}

/** @throws UsageError */
async function addService(call: CommandCall, text: string): Promise<void> {
  const others = ['email', 'user', 'password-stdin', 'generate', 'must-change']
  const other = others.find((option) => call.values[option] !== undefined)
  if (other !== undefined) throw new UsageError(`leave out --${other} for a service account`)
  const { parseServiceUser, parseUsername } = await import('./parse.ts')
  const name = textOf(call, 'name')
  const roles = wantedRoles(call)
  await withServices(call, ['accounts'], async ({ accounts }) => {
    const show = await accountView(call)
    const account = await accounts.create({
      username: parseUsername(text),
      password: null,
      roles,
      mustChange: false,
      user: parseServiceUser({ username: text, ...(name !== undefined && { name }) }),
      isService: true,
    })
    const { userId, username } = account
    const sentence = `${username} is made, for user ${userId}, with ${rolesOf(call, account)}`
    call.output.result(show(account), sentence)
  })
}

function userOf(call: CommandCall, username: string) {
  const id = textOf(call, 'user')
  if (id === undefined) return parseUser(call, username)
  if (textOf(call, 'name') !== undefined || textOf(call, 'email') !== undefined) {
    throw new UsageError('--user stands for a user that exists: leave out --name and --email')
  }
  if (!/^[1-9][0-9]{0,14}$/.test(id)) throw new UsageError('--user is the number of a user')
  return { id: Number(id) }
}

async function list(call: CommandCall): Promise<void> {
  const role = textOf(call, 'role')
  const [wantedRole] = role === undefined ? [] : parseRoles(call, [role])
  await withServices(
    call,
    ['accounts', 'requirements'],
    async ({ accounts, requirements }, { clock }) => {
      const rowOf = await accountRow(call, requirements)
      const filter = {
        role: wantedRole,
        lockedAt: call.values.locked === true ? clock.now() : undefined,
        active: call.values.disabled === true ? false : undefined,
      }
      const batches = batchesOf({
        from: 0,
        read: (after, limit) => accounts.after(after, limit, filter),
        placeOf: ({ userId }) => userId,
      })
      await call.output.list(batches, rowOf)
    },
  )
}

function show(call: CommandCall): Promise<void> {
  return withAccount(call, ['requirements', 'users'], async (account, { requirements, users }) => {
    const rowOf = await accountRow(call, requirements)
    const user = await users.byId(account.userId)
    const { username, user_id, ...others } = rowOf(account)
    const { name = null, email = null } = user ?? {}
    call.output.record({ username, user_id, name, email, ...others })
  })
}

async function accountRow(call: CommandCall, requirements: Services['requirements']) {
  const show = await accountView(call)
  const { isoTimeOrNull } = await import('../../core/lib/clock.ts')
  return (account: Account) => {
    const { created_at, ...shown } = show(account)
    const until = requirements.lockedOutUntil(account)
    return {
      ...shown,
      locked_until: isoTimeOrNull(until),
      must_change: account.mustChange,
      created_at,
    } satisfies Row
  }
}

/** @throws UsageError */
export function parseRoles({ config }: CommandCall, words: readonly unknown[]): Role[] {
  const named = words.map((word) => {
    const role = parseRole(word, config.roles)
    if (!role) throw new UsageError(`${String(word)} is no role: ${config.roles.join(', ')}`)
    return role
  })
  return rolesAmong(named, config.roles)
}

export function rolesOf({ config }: CommandCall, { roles }: Pick<Account, 'roles'>): string {
  return rolesAmong(roles, config.roles).join(', ') || 'no role'
}

export async function accountView({ config }: CommandCall) {
  const { shownWith } = await import('./show-account.ts')
  return shownWith(config.roles)
}

/** The first operand names the account. @throws CommandError if not found */
export function withAccount<const Names extends readonly (keyof Services)[]>(
  call: CommandCall,
  names: Names,
  work: (
    account: Account,
    services: Pick<Services, Names[number] | 'accounts'>,
    deps: Deps,
  ) => Promise<void>,
): Promise<void> {
  const [text = ''] = call.operands
  const all: readonly (Names[number] | 'accounts')[] = ['accounts', ...names]
  return withServices(call, all, async (services, deps) => {
    await work(await named(services.accounts, text), services, deps)
  })
}

async function named(accounts: Pick<Accounts, 'byUsername'>, text: string): Promise<Account> {
  const username = canonicalUsername(text)
  const account = username && (await accounts.byUsername(username))
  if (account) return account
  throw new CommandError(`there is no account ${text}`, exitCodes.notFound.code)
}
