import {
  type CommandCall,
  CommandError,
  type CommandWork,
  exitCodes,
  textOf,
  UsageError,
} from '../../core/cli/command.ts'
import { choiceOption, timeOption } from '../../core/cli/value-options.ts'
import { withServices } from '../../core/cli/work.ts'
import type { DeliveryFilters } from './delivery-store.ts'

const batchSize = 500
const states = ['waiting', 'delivered', 'failed', 'cancelled'] as const
const repeatedStates = ['failed', 'delivered', 'cancelled'] as const

const times = {
  since: {
    type: 'string',
    value: 'time',
    doc: 'only events from a time on, like 2026-01-15T12:00:00Z, or of the last 24h (s, m, h, d)',
  },
  until: { type: 'string', value: 'time', doc: 'only events before a time' },
  type: { type: 'string', value: 'name', doc: 'only events of this type' },
} as const

export const commands: readonly CommandWork[] = [
  {
    name: 'webhook deliveries',
    options: {
      state: { type: 'string', value: 'state', values: states, doc: 'only those in it' },
      ...times,
      message: { type: 'string', value: 'id', doc: 'only those of this webhook-id' },
    },
    example: 'webhook deliveries --state failed --since 24h',
    run: deliveries,
  },
  { name: 'webhook delivery', example: 'webhook delivery 4711', run: delivery },
  {
    name: 'webhook redeliver',
    options: {
      webhook: {
        type: 'string',
        value: 'id',
        doc: 'deliveries of this webhook that have ended, in place of single ones',
      },
      state: {
        type: 'string',
        value: 'state',
        values: repeatedStates,
        doc: 'with --webhook: only those in it; failed by default',
      },
      ...times,
    },
    example: 'webhook redeliver --webhook 01KAYQ3V6E8X7N5T2R9W0ZB4CD --since 24h',
    run: repeat,
  },
]

async function deliveries(call: CommandCall): Promise<void> {
  const [endpoint] = call.operands
  const state = choiceOption(call, 'state', states)
  const message = textOf(call, 'message')
  const filtersAt = eventFilters(call)
  await withServices(call, ['webhookAdmin'], async ({ webhookAdmin }, { clock }) => {
    const { deliveryView } = await import('./show.ts')
    const filters: DeliveryFilters = { endpoint, state, message, ...filtersAt(clock.now()) }
    async function* batches() {
      for (let before: number | null = null; ; ) {
        const { rows, next } = await webhookAdmin.page(filters, { limit: batchSize, before })
        if (rows.length > 0) yield rows
        if (next === null) return
        before = next
      }
    }
    await call.output.list(batches(), deliveryView)
  })
}

async function delivery(call: CommandCall): Promise<void> {
  const id = numberOf(call.operands[0] ?? '')
  await withServices(call, ['webhookAdmin'], async ({ webhookAdmin }) => {
    const { deliveryView } = await import('./show.ts')
    const row = await webhookAdmin.byId(id)
    if (!row) throw new CommandError('there is no such delivery', exitCodes.notFound.code)
    const answer = await webhookAdmin.answerTo(row)
    call.output.record({ ...deliveryView(row), answer: answer && printable(answer) })
  })
}

/** Removes terminal escape sequences from untrusted text. */
function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ')
}

async function repeat(call: CommandCall): Promise<void> {
  const endpoint = textOf(call, 'webhook')
  const state = choiceOption(call, 'state', repeatedStates)
  const filtersAt = eventFilters(call)
  if ((endpoint === undefined) === (call.operands.length === 0)) {
    throw new UsageError('either deliveries are given, or --webhook')
  }
  const ids = call.operands.map(numberOf)
  if (
    endpoint === undefined &&
    ['state', 'since', 'until', 'type'].some((name) => call.values[name])
  ) {
    throw new UsageError('--state, --since, --until and --type need --webhook')
  }
  await withServices(call, ['webhookAdmin'], async ({ webhookAdmin }, { clock }) => {
    let repeated = 0
    for (const id of ids) {
      await webhookAdmin.repeat(id)
      repeated += 1
    }
    if (endpoint !== undefined) {
      const filters = { endpoint, state: state ?? 'failed', ...filtersAt(clock.now()) } as const
      for (let after: number | null = 0; after !== null; ) {
        const done = await webhookAdmin.repeatMany({ ...filters, after })
        repeated += done.repeated
        after = done.next
      }
    }
    const what = repeated === 1 ? '1 delivery' : `${repeated} deliveries`
    call.output.result({ repeated }, `the running service sends ${what} again`)
  })
}

/** @throws UsageError */
function numberOf(text: string): number {
  if (!/^[1-9][0-9]{0,14}$/.test(text)) throw new UsageError('a delivery has a number')
  return Number(text)
}

function eventFilters(call: CommandCall) {
  const [since, until] = [timeOption(call, 'since'), timeOption(call, 'until')]
  const type = textOf(call, 'type')
  return (now: number) => ({ since: since?.(now), until: until?.(now), type })
}
