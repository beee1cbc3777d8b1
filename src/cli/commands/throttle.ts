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

    async function* lockouts(): AsyncGenerator<Row[]> {
      for (let page = 1; ; page += 1) {
        const { data, total } = await services.lock.failing({ page, limit: batchSize })
        yield data.map(({ username, failures, lockedUntil }) => ({
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
        if (page * batchSize >= total) return
      }
    }
    async function* limits(): AsyncGenerator<Row[]> {
      for (let page = 1; ; page += 1) {
        const { data, total } = await services.throttle.page({ page, limit: batchSize })
        const named = await nameLimits(data, services)
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
        if (page * batchSize >= total) return
      }
    }
    async function* batches(): AsyncGenerator<Row[]> {
      for (const source of [lockouts(), limits()]) {
        for await (const rows of source) {
          const wanted = rows.filter(isWanted)
          if (wanted.length > 0) yield wanted
        }
      }
    }
    await call.output.list(batches())
  })
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
