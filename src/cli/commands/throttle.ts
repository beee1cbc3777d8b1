import type { Page } from '../../http/lists/paging.ts'
import { canonicalUsername } from '../../kernel/username.ts'
import { type CommandCall, type CommandWork, UsageError } from '../command.ts'
import type { Row } from '../output.ts'
import { withServices } from '../work.ts'

const batchSize = 100

export const commands: readonly CommandWork[] = [
  {
    name: 'throttle list',
    options: { blocked: { type: 'boolean', doc: 'only what refuses logins now' } },
    example: 'throttle list --blocked',
    run: list,
  },
  {
    name: 'throttle clear',
    example: 'throttle clear ann',
    run: clear,
  },
]

/** Lists lockouts, then limits: the same columns, since both count failures against a maximum. */
function list(call: CommandCall): Promise<void> {
  return withServices(call, async (services, { clock, config }) => {
    const { nameLimits } = await import('../../login/throttled.ts')
    const { isoTimeOrNull } = await import('../../kernel/clock.ts')
    const isWanted = (row: Row) => call.values.blocked !== true || row.blocked_until !== null

    async function* batches(): AsyncGenerator<Row[]> {
      for await (const failing of pages((page) => services.lock.failing(page))) {
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
      for await (const states of services.throttle.all(batchSize)) {
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
    await call.output.list(wanted())
  })
}

/** Yields the items of all pages, a page at a time. */
async function* pages<Item>(
  read: (page: Page) => Promise<{ readonly data: readonly Item[]; readonly total: number }>,
): AsyncGenerator<readonly Item[]> {
  for (let page = 1; ; page += 1) {
    const { data, total } = await read({ page, limit: batchSize })
    yield data
    if (page * batchSize >= total) return
  }
}

async function clear(call: CommandCall): Promise<void> {
  const [text = ''] = call.operands
  const username = canonicalUsername(text)
  if (!username) throw new UsageError('this is no username')
  await withServices(call, async (services, deps) => {
    const { clearThrottle } = await import('../../login/throttled.ts')
    const { transact } = await import('../../database/transactions.ts')
    const found = await transact(deps.db, [], (trx) =>
      clearThrottle(trx, username, { ...deps, ...services }, text),
    )
    const note = found === null ? ', though no account has this name' : ''
    call.output.result(
      { username, user_id: found },
      `the failed logins of ${username} are forgotten${note}`,
    )
  })
}
