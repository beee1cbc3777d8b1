import { parseThrottledAddress } from '../../core/addresses/address.ts'
import {
  type CommandCall,
  CommandError,
  type CommandWork,
  exitCodes,
  textOf,
  UsageError,
} from '../../core/cli/command.ts'
import type { Row } from '../../core/cli/output.ts'
import { withServices } from '../../core/cli/work.ts'
import { batchesByOffset } from '../../core/database/batches.ts'
import { gatehouse } from '../../core/hints/command-line.ts'
import { canonicalUsername } from '../../core/lib/username.ts'
import type { FailureCount } from '../throttle/attempt.ts'

export const commands: readonly CommandWork[] = [
  {
    name: 'throttle list',
    options: { blocked: { type: 'boolean', doc: 'only what refuses logins now' } },
    example: 'throttle list --blocked',
    run: list,
  },
  {
    name: 'throttle clear',
    options: {
      address: {
        type: 'string',
        value: 'address',
        doc: 'the limits that count all logins from an address, in place of those of a username',
      },
    },
    example: 'throttle clear ann',
    run: clear,
  },
]

/** Same columns: both count failures against a maximum. */
function list(call: CommandCall): Promise<void> {
  return withServices(
    call,
    ['accounts', 'clients', 'lock', 'throttle'],
    async (services, { clock, config }) => {
      const { nameLimits } = await import('./throttled.ts')
      const { isoTimeOrNull } = await import('../../core/lib/clock.ts')
      const isWanted = (row: Row) => call.values.blocked !== true || row.blocked_until !== null

      async function* batches(): AsyncGenerator<Row[]> {
        const failingOf = async (offset: number, limit: number) =>
          (await services.lock.failing({ page: offset / limit + 1, limit })).data
        for await (const failing of batchesByOffset(failingOf)) {
          yield failing.map(({ username, failures, lockedUntil }) => ({
            limit: 'lockout',
            username,
            client: null,
            address: null,
            used: failures,
            pending: 0,
            attempts: config.login.lock.after,
            blocked_until: isoTimeOrNull(
              lockedUntil !== null && lockedUntil > clock.now() ? lockedUntil : null,
            ),
          }))
        }
        for await (const states of services.throttle.all()) {
          const named = await nameLimits(states, services)
          yield named.map((state) => ({
            limit: state.count,
            username: state.username,
            client: state.client ?? null,
            address: state.address,
            used: state.used,
            pending: state.pending,
            attempts: state.attempts,
            blocked_until: isoTimeOrNull(state.blockedUntil),
          }))
        }
      }
      async function* wanted(): AsyncGenerator<Row[]> {
        for await (const rows of batches()) {
          const left = rows.filter(isWanted)
          if (left.length > 0) yield left
        }
      }
      await call.output.list(wanted(), (row) => row)
    },
  )
}

async function clear(call: CommandCall): Promise<void> {
  const [name] = call.operands
  const address = textOf(call, 'address')
  if ((name === undefined) === (address === undefined)) {
    throw new UsageError('name one: a username, or --address')
  }
  await (address === undefined ? clearName(call, name ?? '') : clearAddressOf(call, address))
}

async function clearName(call: CommandCall, text: string): Promise<void> {
  const username = canonicalUsername(text)
  const isAddress = parseThrottledAddress(text) !== null
  const hint = isAddress
    ? `; an address is cleared by ${gatehouse} throttle clear --address ${text.trim()}`
    : ''
  if (!username) throw new UsageError(`this is no username${hint}`)
  await withServices(call, ['accounts', 'lock', 'throttle'], async (services, deps) => {
    const { clearThrottle } = await import('./throttled.ts')
    const { transact } = await import('../../core/database/transactions.ts')
    const account = await services.accounts.byUsername(username)
    const isFailing = account !== null && isCounted(account, deps.clock.now())
    const { userId } = await transact(deps.db, [], async (trx) => {
      const cleared = await clearThrottle(trx, username, { ...deps, ...services }, text)
      if (cleared.attempts === 0 && !isFailing) {
        throw new CommandError(`no failed logins of ${username}${hint}`, exitCodes.notFound.code)
      }
      return cleared
    })
    const note = userId === null ? ', though no account has this name' : ''
    call.output.result(
      { username, user_id: userId },
      `the failed logins of ${username} are forgotten${note}`,
    )
  })
}

function isCounted({ failedLogins, lockedUntil }: FailureCount, now: number): boolean {
  return failedLogins > 0 || (lockedUntil !== null && lockedUntil > now)
}

async function clearAddressOf(call: CommandCall, text: string): Promise<void> {
  const address = parseThrottledAddress(text)
  if (address === null) {
    throw new UsageError('--address must be an IPv4 or IPv6 address, or an IPv6 network of /64')
  }
  await withServices(call, ['throttle'], async (services, deps) => {
    const { clearAddress } = await import('./throttled.ts')
    const { transact } = await import('../../core/database/transactions.ts')
    const cleared = await transact(deps.db, [], async (trx) => {
      const forgotten = await clearAddress(trx, address, { ...deps, ...services })
      const { logins, clients, passkeys, usernames } = forgotten
      if (logins + clients + passkeys + usernames === 0) {
        throw new CommandError(`no failed logins from ${address}`, exitCodes.notFound.code)
      }
      return forgotten
    })
    call.output.result({ ...cleared }, `the failed logins from ${address} are forgotten`)
  })
}
