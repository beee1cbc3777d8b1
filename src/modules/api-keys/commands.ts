import {
  type CommandCall,
  CommandError,
  type CommandWork,
  exitCodes,
  textOf,
  UsageError,
} from '../../core/cli/command.ts'
import type { Services } from '../../core/module/services.ts'
import { parseRoles, withAccount } from '../accounts/commands.ts'
import type { Account } from '../authentication/account.ts'
import type { MadeKey } from './api-keys.ts'

type ApiKeys = Services['apiKeys']

/** The commands that make, list and end keys, as the routes of administration do. */
export const commands: readonly CommandWork[] = [
  {
    name: 'api-key create',
    options: {
      name: { type: 'string', value: 'text', doc: 'what the key is for' },
      scope: {
        type: 'string',
        multiple: true,
        value: 'scope',
        doc: 'what it opens, for example users:read or posts:*; again for more',
      },
      role: {
        type: 'string',
        multiple: true,
        value: 'role',
        doc: 'a role of the account; again for more; all that it has by default',
      },
      days: { type: 'string', value: 'number', doc: 'when it ends; 90 by default' },
    },
    example: 'api-key create report --name "nightly report" --scope users:read',
    run: create,
  },
  {
    name: 'api-key list',
    example: 'api-key list report',
    run: (call) =>
      withAccount(call, ['apiKeys'], async ({ userId }, { apiKeys }) => {
        const { shownWith } = await import('./schemas.ts')
        call.output.rows((await apiKeys.of(userId)).map(shownWith(call.config.roles)))
      }),
  },
  {
    name: 'api-key rotate',
    options: {
      now: { type: 'boolean', doc: 'end the key before at once, for one that leaked' },
    },
    example: 'api-key rotate report q0Tn4kXn8Zc1mVbY',
    run: rotate,
  },
  { name: 'api-key revoke', example: 'api-key revoke report q0Tn4kXn8Zc1mVbY', run: revoke },
]

async function create(call: CommandCall): Promise<void> {
  const { scopesIn } = await import('./scopes.ts')
  const { defaultDays } = await import('./api-keys.ts')
  const { plainName, rolesOf } = await import('./wanted.ts')
  const scopes = scopesIn(call.modules)
  const name = textOf(call, 'name') ?? ''
  if (name === '') throw new UsageError('--name is missing')
  const wanted = [call.values.scope ?? []].flat().map(String)
  if (wanted.length === 0) throw new UsageError('--scope is missing')
  const unknown = wanted.find((scope) => !scopes.of('key').includes(scope))
  if (unknown !== undefined) {
    throw new UsageError(`--scope takes ${scopes.of('key').join(', ')}, not ${unknown}`)
  }
  const days = textOf(call, 'days') ?? String(defaultDays)
  if (!/^[1-9][0-9]{0,3}$/.test(days)) throw new UsageError('--days is a number from 1 to 9999')
  const named =
    call.values.role === undefined ? undefined : parseRoles(call, [call.values.role].flat())
  await withAccount(call, ['apiKeys'], async (account, { apiKeys }) => {
    assertService(account)
    const key = {
      kind: 'key' as const,
      name: plainName(name),
      scopes: scopes.parse(wanted, 'key'),
      roles: rolesOf(account, named, call.config.roles),
      expiresInDays: Number(days),
    }
    await tell(call, await apiKeys.create(account, key, { by: null }), `${name} is made`)
  })
}

async function rotate(call: CommandCall): Promise<void> {
  const { defaultOverlapSeconds } = await import('./api-keys.ts')
  await withAccount(call, ['apiKeys'], async (account, { apiKeys }) => {
    assertService(account)
    const id = await idOf(call, account, apiKeys)
    const isNow = call.values.now === true
    const overlap = isNow ? 0 : defaultOverlapSeconds
    const made = await apiKeys.rotate({ userId: account.userId, id }, overlap, { by: null })
    const before = isNow ? 'has ended' : 'stays valid for a day'
    await tell(call, made, `${made.key.name} has a new key; the key before ${before}`)
  })
}

async function revoke(call: CommandCall): Promise<void> {
  await withAccount(call, ['apiKeys'], async (account, { apiKeys }) => {
    const { userId, username } = account
    const id = await idOf(call, account, apiKeys)
    await apiKeys.revoke({ userId, id }, { reason: 'operator' })
    call.output.result({ username, key: id }, `the key ${id} of ${username} is revoked`)
  })
}

/** @throws CommandError */
function assertService({ isService, username }: Account): void {
  if (isService) return
  const what = `${username} is no service account: its person makes app passwords`
  throw new CommandError(what, exitCodes.refused.code)
}

/** @throws CommandError if the account has no such key */
async function idOf(call: CommandCall, { userId, username }: Account, apiKeys: ApiKeys) {
  const [, id = ''] = call.operands
  if ((await apiKeys.of(userId)).some((key) => key.id === id)) return id
  throw new CommandError(`${username} has no key ${id}`, exitCodes.notFound.code)
}

/** @throws CommandError if the output fails: the key is never shown again */
async function tell(call: CommandCall, { key, text }: MadeKey, sentence: string): Promise<void> {
  const { showMade } = await import('./schemas.ts')
  call.output.result(
    showMade(call.config.roles)({ key, text }),
    `${sentence}.\n\n  key  ${text}   (shown once)\n`,
  )
  if (await call.output.flush()) return
  throw new CommandError('done, but the key could not be shown: `api-key rotate` makes another')
}
