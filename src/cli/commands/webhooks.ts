import type { DeliveryFilters } from '../../webhooks/delivery-store.ts'
import type { Endpoint, WithSecret } from '../../webhooks/endpoints.ts'
import {
  type CommandCall,
  CommandError,
  type CommandWork,
  exitCodes,
  textOf,
  UsageError,
} from '../command.ts'
import { assertMayConfirm, confirm, yesOption } from '../confirm.ts'
import type { Row } from '../output.ts'
import { timeOption } from '../time-option.ts'
import { withServices } from '../work.ts'

const batchSize = 500
const contents = ['ids', 'full'] as const
const states = ['waiting', 'delivered', 'failed', 'cancelled'] as const
const repeatedStates = ['failed', 'delivered', 'cancelled'] as const

const settings = {
  description: { type: 'string', value: 'text', doc: 'what it is for' },
  content: {
    type: 'string',
    value: 'content',
    values: contents,
    doc: 'ids: without what names a person; full: all that the audit log has; ids by default',
  },
} as const

const eventsOption = {
  type: 'string',
  value: 'names',
  doc: 'comma-separated: names of docs/events.md, beginnings like authn_*, *, audit_checkpoint',
} as const

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
    name: 'webhook add',
    options: { events: eventsOption, ...settings },
    example: 'webhook add https://hr.example.org/gatehouse --events user_deleted,authn_login_lock',
    run: add,
  },
  { name: 'webhook list', example: 'webhook list --json', run: list },
  {
    name: 'webhook change',
    options: {
      url: { type: 'string', value: 'url', doc: 'the new address' },
      events: eventsOption,
      ...settings,
    },
    example: 'webhook change 01KAYQ3V6E8X7N5T2R9W0ZB4CD --events "*"',
    run: change,
  },
  ...(['enable', 'disable'] as const).map((what) => ({
    name: `webhook ${what}`,
    example: `webhook ${what} 01KAYQ3V6E8X7N5T2R9W0ZB4CD`,
    run: (call: CommandCall) => setState(call, `${what}d`),
  })),
  { name: 'webhook secret', example: 'webhook secret 01KAYQ3V6E8X7N5T2R9W0ZB4CD', run: rotate },
  {
    name: 'webhook remove',
    options: yesOption,
    example: 'webhook remove 01KAYQ3V6E8X7N5T2R9W0ZB4CD --yes',
    run: remove,
  },
  { name: 'webhook test', example: 'webhook test 01KAYQ3V6E8X7N5T2R9W0ZB4CD', run: test },
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
    name: 'webhook repeat',
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
    example: 'webhook repeat --webhook 01KAYQ3V6E8X7N5T2R9W0ZB4CD --since 24h',
    run: repeat,
  },
]

async function add(call: CommandCall): Promise<void> {
  const [url = ''] = call.operands
  const { events, ...sent } = sentOf(call)
  if (events === undefined) {
    throw new UsageError('--events says which events are sent: "*" for all of them')
  }
  await withServices(call, async ({ webhookEndpoints, webhookRules }) => {
    const { parseWanted } = await import('../../webhooks/wanted.ts')
    const wanted = parseWanted({ ...sent, url, events }, webhookRules)
    const made = await webhookEndpoints.create(wanted)
    await showSecret(call, made, `the webhook ${made.endpoint.id} is made`)
  })
}

async function list(call: CommandCall): Promise<void> {
  await withServices(call, async ({ webhookEndpoints }) => {
    const show = await rowOf()
    async function* batches(): AsyncGenerator<Row[]> {
      for (let offset = 0; ; offset += batchSize) {
        const batch = await webhookEndpoints.page(offset, batchSize)
        if (batch.length > 0) yield batch.map(show)
        if (batch.length < batchSize) return
      }
    }
    await call.output.list(batches())
  })
}

async function change(call: CommandCall): Promise<void> {
  const url = textOf(call, 'url')
  const sent = { ...sentOf(call), ...(url !== undefined && { url }) }
  if (Object.keys(sent).length === 0) throw new UsageError('nothing is given to change')
  await withServices(call, async ({ webhookEndpoints, webhookRules }) => {
    const { parseChanges } = await import('../../webhooks/wanted.ts')
    const changes = parseChanges(sent, webhookRules)
    const endpoint = await webhookEndpoints.change(idOf(call), changes)
    call.output.result((await rowOf())(endpoint), `the webhook ${endpoint.id} is changed`)
  })
}

async function setState(call: CommandCall, state: 'enabled' | 'disabled'): Promise<void> {
  await withServices(call, async ({ webhookEndpoints }) => {
    const endpoint = await webhookEndpoints.change(idOf(call), { state })
    call.output.result((await rowOf())(endpoint), `the webhook ${endpoint.id} is ${state}`)
  })
}

async function rotate(call: CommandCall): Promise<void> {
  await withServices(call, async ({ webhookEndpoints }) => {
    const { endpoint, secret } = await webhookEndpoints.rotateSecret(idOf(call))
    const until = new Date(endpoint.previousSecretUntil ?? 0).toISOString()
    const sentence = `the webhook ${endpoint.id} has a new secret; that before signs as well until ${until}`
    await showSecret(call, { endpoint, secret }, sentence)
  })
}

async function remove(call: CommandCall): Promise<void> {
  assertMayConfirm(call)
  await withServices(call, async ({ webhookEndpoints }) => {
    const id = idOf(call)
    await confirm(call, `Remove the webhook ${id}? Its deliveries go too, also those that wait.`)
    const endpoint = await webhookEndpoints.remove(id)
    call.output.result((await rowOf())(endpoint), `the webhook ${id} is removed`)
  })
}

async function test(call: CommandCall): Promise<void> {
  await withServices(call, async ({ webhookDesk }) => {
    const { deliveryView } = await import('../../webhooks/show.ts')
    const delivery = await webhookDesk.test(idOf(call))
    const seen = `gatehouse webhook deliveries --message ${delivery.message}`
    call.output.result(
      deliveryView(delivery),
      `the running service sends ${delivery.message}; see what became of it by \`${seen}\``,
    )
  })
}

async function deliveries(call: CommandCall): Promise<void> {
  const [endpoint] = call.operands
  const state = among(call, states)
  const message = textOf(call, 'message')
  const filtersAt = eventFilters(call)
  await withServices(call, async ({ webhookDesk }, { clock }) => {
    const { deliveryView } = await import('../../webhooks/show.ts')
    const filters: DeliveryFilters = { endpoint, state, message, ...filtersAt(clock.now()) }
    async function* batches(): AsyncGenerator<Row[]> {
      for (let before: number | null = null; ; ) {
        const { rows, next } = await webhookDesk.page(filters, { limit: batchSize, before })
        if (rows.length > 0) yield rows.map(deliveryView)
        if (next === null) return
        before = next
      }
    }
    await call.output.list(batches())
  })
}

async function delivery(call: CommandCall): Promise<void> {
  const id = numberOf(call.operands[0] ?? '')
  await withServices(call, async ({ webhookDesk }) => {
    const { deliveryView } = await import('../../webhooks/show.ts')
    const row = await webhookDesk.byId(id)
    if (!row) throw new CommandError('there is no such delivery', exitCodes.notFound.code)
    const answer = await webhookDesk.answerTo(row)
    call.output.record({ ...deliveryView(row), answer: answer && printable(answer) })
  })
}

/** A text of others without what a terminal would take for a command. */
function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ')
}

async function repeat(call: CommandCall): Promise<void> {
  const endpoint = textOf(call, 'webhook')
  const state = among(call, repeatedStates)
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
  await withServices(call, async ({ webhookDesk }, { clock }) => {
    let repeated = 0
    for (const id of ids) {
      await webhookDesk.repeat(id)
      repeated += 1
    }
    if (endpoint !== undefined) {
      const filters = { endpoint, state: state ?? 'failed', ...filtersAt(clock.now()) } as const
      for (let after: number | null = 0; after !== null; ) {
        const done = await webhookDesk.repeatMany({ ...filters, after })
        repeated += done.repeated
        after = done.next
      }
    }
    const what = repeated === 1 ? '1 delivery' : `${repeated} deliveries`
    call.output.result({ repeated }, `the running service sends ${what} again`)
  })
}

function idOf({ operands: [id = ''] }: CommandCall): string {
  return id
}

/** @throws UsageError if the text is no number of a delivery */
function numberOf(text: string): number {
  if (!/^[1-9][0-9]{0,14}$/.test(text)) throw new UsageError('a delivery has a number')
  return Number(text)
}

/** The options that are given of an endpoint. @throws UsageError */
function sentOf(call: CommandCall) {
  const [events, description] = [textOf(call, 'events'), textOf(call, 'description')]
  const content = among(call, contents, 'content')
  if (description !== undefined && ([...description].length > 200 || /\p{Cc}/u.test(description))) {
    throw new UsageError('--description has at most 200 characters, on one line')
  }
  return {
    ...(events !== undefined && { events: events.split(',').map((name) => name.trim()) }),
    ...(description !== undefined && { description }),
    ...(content !== undefined && { content }),
  }
}

/** @throws UsageError for a value that the option does not have */
function among<Name extends string>(
  call: CommandCall,
  names: readonly Name[],
  option = 'state',
): Name | undefined {
  const typed = textOf(call, option)
  const name = names.find((known) => known === typed)
  if (typed !== undefined && name === undefined) {
    throw new UsageError(`--${option} is one of ${names.join(', ')}`)
  }
  return name
}

function eventFilters(call: CommandCall) {
  const [since, until] = [timeOption(call, 'since'), timeOption(call, 'until')]
  const type = textOf(call, 'type')
  return (now: number) => ({ since: since?.(now), until: until?.(now), type })
}

/** Shows a secret, which nothing shows again. @throws CommandError if it could not be shown */
async function showSecret(
  { output }: CommandCall,
  { endpoint, secret }: WithSecret,
  sentence: string,
): Promise<void> {
  const row = (await rowOf())(endpoint)
  output.result({ ...row, secret }, `${sentence}\n\n  secret  ${secret}   (shown once)\n`)
  if (await output.flush()) return
  throw new CommandError('done, but the secret could not be shown: `webhook secret` makes another')
}

/** Answers the function that makes a row of an endpoint. */
async function rowOf(): Promise<(endpoint: Endpoint) => Row> {
  const { webhookView } = await import('../../webhooks/show.ts')
  return (endpoint) => {
    const { health, ...row } = webhookView(endpoint)
    return { ...row, ...health }
  }
}
