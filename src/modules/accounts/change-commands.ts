import {
  type CommandCall,
  CommandError,
  type CommandWork,
  exitCodes,
} from '../../core/cli/command.ts'
import { assertMayConfirm, confirm, yesOption } from '../../core/cli/confirm.ts'
import {
  assertPasswordSource,
  newPassword,
  passwordOptions,
  tellPassword,
} from '../../core/cli/secrets.ts'
import type { Services } from '../../core/module/services.ts'
import { contractRoles } from '../../core/policy/principal.ts'
import type { Account } from '../authentication/account.ts'
import type { AccountUpdate } from './account-update.ts'
import { accountView, parseRoles, rolesOf, withAccount } from './commands.ts'

/** Same rules and effects as the admin routes. */
export const commands: readonly CommandWork[] = [
  {
    name: 'account roles',
    operandValues: { role: contractRoles },
    example: 'account roles ann USER EDITOR',
    async run(call) {
      const roles = parseRoles(call, call.operands.slice(1))
      await change(
        call,
        { roles },
        (account) => `${account.username} has ${rolesOf(call, account)}`,
      )
    },
  },
  {
    name: 'account lock',
    example: 'account lock ann',
    run: (call) => change(call, { locked: true }, (account) => `${account.username} is locked`),
  },
  {
    name: 'account unlock',
    example: 'account unlock ann',
    run: (call) => change(call, { locked: false }, (account) => `${account.username} is open`),
  },
  {
    name: 'account disable',
    example: 'account disable ann',
    run: (call) => change(call, { active: false }, (account) => `${account.username} is disabled`),
  },
  {
    name: 'account enable',
    example: 'account enable ann',
    run: (call) => change(call, { active: true }, (account) => `${account.username} is enabled`),
  },
  {
    name: 'account password',
    options: passwordOptions,
    example: 'account password ann --password-stdin < new-password.txt',
    run: setPassword,
  },
  {
    name: 'account reset-factor',
    example: 'account reset-factor ann',
    run: (call) =>
      withAccount(call, ['factors'], async (account, { factors }) => {
        await factors.remove(account, {})
        const show = await accountView(call)
        call.output.result(
          show({ ...account, secondFactor: false }),
          `${account.username} has no second factor`,
        )
      }),
  },
  {
    name: 'account delete',
    options: yesOption,
    example: 'account delete ann --yes',
    run: remove,
  },
]

function change(
  call: CommandCall,
  wanted: AccountUpdate,
  told: (account: Account) => string,
): Promise<void> {
  return withAccount(call, [], async (before, services) => {
    const account = await changed(before, wanted, services)
    const show = await accountView(call)
    call.output.result(show(account), told(account))
  })
}

async function setPassword(call: CommandCall): Promise<void> {
  assertPasswordSource(call)
  await withAccount(call, [], async (before, services, { random }) => {
    const password = await newPassword(call, before.username, random)
    const wanted = {
      password: { text: password.text, field: 'password' },
      ...(password.mustChange && { mustChange: true }),
    }
    const account = await changed(before, wanted, services)
    const show = await accountView(call)
    await tellPassword(call, password, show(account), `${account.username} has a new password`)
  })
}

async function remove(call: CommandCall): Promise<void> {
  assertMayConfirm(call)
  await withAccount(call, [], async ({ userId, username }, { accounts }) => {
    await confirm(call, `Delete the account ${username}? Its logins end, and its user stays.`)
    const account = await accounts.remove(userId)
    if (!account) throw deletedMeanwhile(username)
    const show = await accountView(call)
    call.output.result(show(account), `${username} is deleted; user ${userId} stays`)
  })
}

async function changed(
  { userId, username: name }: Account,
  wanted: AccountUpdate,
  { accounts }: Pick<Services, 'accounts'>,
): Promise<Account> {
  const account = await accounts.change(userId, wanted)
  if (!account) throw deletedMeanwhile(name)
  return account
}

function deletedMeanwhile(username: string): CommandError {
  return new CommandError(`${username} was deleted meanwhile`, exitCodes.notFound.code)
}
