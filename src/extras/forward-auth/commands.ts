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
import type { CheckedAccount, CheckedRequest, ForwardCheck } from './check.ts'

export const commands: readonly CommandWork[] = [
  {
    name: 'forward check',
    options: {
      from: {
        type: 'string',
        value: 'address',
        doc: 'of the visitor, for rules with networks',
      },
      method: { type: 'string', value: 'method', doc: 'of the request; GET by default' },
    },
    example: 'forward check https://wiki.example.org/admin ann',
    run: check,
  },
]

async function check(call: CommandCall): Promise<void> {
  const [url = '', user] = call.operands
  const request = await requestOf(url, textOf(call, 'method') ?? 'GET', textOf(call, 'from'))
  const { file, atStart: rules } = call.config.forwardAuth
  if (file === undefined) throw new UsageError('FORWARD_AUTH_FILE is not set: there are no rules')
  const { checkForward } = await import('./check.ts')
  if (user === undefined) return show(call, request, checkForward(rules, request, null), null)
  const username = canonicalUsername(user)
  if (username === null) throw new UsageError('the user is no username')
  await withServices(
    call,
    ['accounts', 'requirements'],
    async ({ accounts, requirements }, { config }) => {
      const account = await accounts.byUsername(username)
      if (!account) throw new CommandError('no such account', exitCodes.notFound.code)
      const of = { account, requirements, roles: config.roles }
      show(call, request, checkForward(rules, request, of), of)
    },
  )
}

/** @throws UsageError */
async function requestOf(
  url: string,
  method: string,
  from: string | undefined,
): Promise<CheckedRequest> {
  const [{ canonicalAddress }, { isValidMethod }, { parseSite }] = await Promise.all([
    import('../../core/addresses/address.ts'),
    import('./request-line.ts'),
    import('./site.ts'),
  ])
  // Unnormalized: the spelling is being checked.
  const [, scheme = '', host = '', uri = ''] = url.match(/^(https?):\/\/([^/?#]*)(.*)$/is) ?? []
  const site = parseSite(scheme.toLowerCase() === 'http' ? 'http' : 'https', host)
  if (scheme === '' || !site) {
    throw new UsageError('the URL must be one of an application: https://wiki.example.org/page')
  }
  if (!isValidMethod(method)) {
    throw new UsageError('--method must be one of HTTP, in capital letters')
  }
  const address = from === undefined ? null : canonicalAddress(from)
  if (from !== undefined && address === null) {
    throw new UsageError('--from must be an address, such as 192.0.2.7')
  }
  return { site, from: address, uri: uri.startsWith('/') ? uri : `/${uri}`, method }
}

/** @throws CommandError, after the output, if the service would reject the request */
function show(
  { output, values }: CommandCall,
  { method, site, uri }: CheckedRequest,
  { readings, rule, ...found }: ForwardCheck,
  of: CheckedAccount | null,
): void {
  const request = `${method} ${site.origin}${uri}`
  const account = of && {
    username: of.account.username,
    roles: of.account.roles,
    locked: of.account.locked,
    active: of.account.active,
    second_factor: of.account.secondFactor,
  }
  const rows = readings.map(({ isFolded, ...reading }) => ({
    ...reading,
    case: isFolded ? 'ignored' : 'as it is',
  }))
  if (values.json === true) {
    output.record({ request, ...found, rule: rule ?? null, readings: rows, account })
  } else {
    output.record({ request, ...found, rule: rule ?? null, ...account })
    if (new Set(rows.map(({ path }) => path)).size > 1) {
      output.message('')
      output.rows(rows)
    }
  }
  if (found.answer === 'denied' || found.answer === 'refused') {
    throw new CommandError('it would be refused', exitCodes.refused.code)
  }
}
