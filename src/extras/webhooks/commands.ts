import {
  type CommandCall,
  CommandError,
  type CommandWork,
  textOf,
  UsageError,
} from '../../core/cli/command.ts'
import { assertMayConfirm, confirm, yesOption } from '../../core/cli/confirm.ts'
import type { Row } from '../../core/cli/output.ts'
import { choiceOption } from '../../core/cli/value-options.ts'
import { withServices } from '../../core/cli/work.ts'
import { batchesByOffset } from '../../core/database/batches.ts'
import { gatehouse } from '../../core/hints/command-line.ts'
import type { Endpoint, WithSecret } from './endpoints.ts'

const contents = ['ids', 'full'] as const

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

export const commands: readonly CommandWork[] = [
  {
    name: 'webhook add',
    options: { events: eventsOption, ...settings },
    example: 'webhook add https://hr.example.org/gatehouse --events user_deleted,authn_login_lock',
    run: add,
  },
  { name: 'webhook list', example: 'webhook list --json', run: list },
  {
    name: 'webhook update',
    options: {
      url: { type: 'string', value: 'url', doc: 'the new address' },
      events: eventsOption,
      ...settings,
    },
    example: 'webhook update 01KAYQ3V6E8X7N5T2R9W0ZB4CD --events "*"',
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
]

async function add(call: CommandCall): Promise<void> {
  const [url = ''] = call.operands
  const { events, ...sent } = sentOf(call)
  if (events === undefined) {
    throw new UsageError('--events says which events are sent: "*" for all of them')
  }
  await withServices(
    call,
    ['webhookEndpoints', 'webhookRules'],
    async ({ webhookEndpoints, webhookRules }) => {
      const { parseNewEndpoint } = await import('./endpoint-input.ts')
      const wanted = parseNewEndpoint({ ...sent, url, events }, webhookRules)
      const made = await webhookEndpoints.create(wanted)
      await showSecret(call, made, `the webhook ${made.endpoint.id} is made`)
    },
  )
}

async function list(call: CommandCall): Promise<void> {
  await withServices(call, ['webhookEndpoints'], async ({ webhookEndpoints }) => {
    await call.output.list(batchesByOffset(webhookEndpoints.page), await rowOf())
  })
}

async function change(call: CommandCall): Promise<void> {
  const url = textOf(call, 'url')
  const sent = { ...sentOf(call), ...(url !== undefined && { url }) }
  if (Object.keys(sent).length === 0) throw new UsageError('nothing is given to change')
  await withServices(
    call,
    ['webhookEndpoints', 'webhookRules'],
    async ({ webhookEndpoints, webhookRules }) => {
      const { parseChanges } = await import('./endpoint-input.ts')
      const changes = parseChanges(sent, webhookRules)
      const endpoint = await webhookEndpoints.change(idOf(call), changes)
      call.output.result((await rowOf())(endpoint), `the webhook ${endpoint.id} is changed`)
    },
  )
}

async function setState(call: CommandCall, state: 'enabled' | 'disabled'): Promise<void> {
  await withServices(call, ['webhookEndpoints'], async ({ webhookEndpoints }) => {
    const endpoint = await webhookEndpoints.change(idOf(call), { state })
    call.output.result((await rowOf())(endpoint), `the webhook ${endpoint.id} is ${state}`)
  })
}

async function rotate(call: CommandCall): Promise<void> {
  await withServices(call, ['webhookEndpoints'], async ({ webhookEndpoints }) => {
    const { endpoint, secret } = await webhookEndpoints.rotateSecret(idOf(call))
    const until = new Date(endpoint.previousSecretUntil ?? 0).toISOString()
    const sentence = `the webhook ${endpoint.id} has a new secret; that before signs as well until ${until}`
    await showSecret(call, { endpoint, secret }, sentence)
  })
}

async function remove(call: CommandCall): Promise<void> {
  assertMayConfirm(call)
  await withServices(call, ['webhookEndpoints'], async ({ webhookEndpoints }) => {
    const id = idOf(call)
    await confirm(call, `Remove the webhook ${id}? Its deliveries go too, also those that wait.`)
    const endpoint = await webhookEndpoints.remove(id)
    call.output.result((await rowOf())(endpoint), `the webhook ${id} is removed`)
  })
}

async function test(call: CommandCall): Promise<void> {
  await withServices(call, ['webhookAdmin'], async ({ webhookAdmin }) => {
    const { deliveryView } = await import('./show.ts')
    const delivery = await webhookAdmin.test(idOf(call))
    const seen = `${gatehouse} webhook deliveries --message ${delivery.message}`
    call.output.result(
      deliveryView(delivery),
      `the running service sends ${delivery.message}; see what became of it by \`${seen}\``,
    )
  })
}

function idOf({ operands: [id = ''] }: CommandCall): string {
  return id
}

/** @throws UsageError */
function sentOf(call: CommandCall) {
  const [events, description] = [textOf(call, 'events'), textOf(call, 'description')]
  const content = choiceOption(call, 'content', contents)
  if (description !== undefined && ([...description].length > 200 || /\p{Cc}/u.test(description))) {
    throw new UsageError('--description has at most 200 characters, on one line')
  }
  return {
    ...(events !== undefined && { events: events.split(',').map((name) => name.trim()) }),
    ...(description !== undefined && { description }),
    ...(content !== undefined && { content }),
  }
}

/** The secret is shown only once. @throws CommandError if output fails */
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

async function rowOf(): Promise<(endpoint: Endpoint) => Row> {
  const { webhookView } = await import('./show.ts')
  return (endpoint) => {
    const { health, ...row } = webhookView(endpoint)
    return { ...row, ...health }
  }
}
