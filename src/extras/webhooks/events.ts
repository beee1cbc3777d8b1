import { eventType } from '../../core/events/types.ts'

/** Only the origin: the path can contain a secret of the receiver. */
type EndpointFields = { readonly webhook: string; readonly origin: string }
const endpointFields = { webhook: '', origin: 'of its address' }

type Settings = {
  readonly events: readonly string[]
  readonly content: 'ids' | 'full'
  readonly state: 'enabled' | 'disabled' | 'failed'
}

export const webhookCreated = eventType<EndpointFields & Settings>('webhook_created', {
  groups: ['administration'],
  inOverview: true,
  description: 'an administrator has events sent to an address',
  fields: { ...endpointFields, events: '', content: '', state: '' },
  words: { en: 'Webhook created', de: 'Webhook angelegt' },
})

export const webhookChanged = eventType<
  EndpointFields & Settings & { readonly changed: readonly string[] }
>('webhook_changed', {
  groups: ['administration'],
  inOverview: true,
  description:
    'an administrator changes a webhook, enables or disables it ([webhooks.md](webhooks.md))',
  fields: {
    ...endpointFields,
    events: '',
    content: '',
    state: '',
    changed: 'the names of the fields that differ',
  },
  words: { en: 'Webhook changed', de: 'Webhook geändert' },
})

export const webhookRemoved = eventType<EndpointFields>('webhook_removed', {
  groups: ['administration'],
  inOverview: true,
  description: 'an administrator removes a webhook with its deliveries',
  fields: endpointFields,
  words: { en: 'Webhook removed', de: 'Webhook entfernt' },
})

export const webhookSecretRotated = eventType<EndpointFields & { readonly previous_until: number }>(
  'webhook_secret_rotated',
  {
    groups: ['administration'],
    description:
      'a webhook gets a new secret; the former secret signs as well until `previous_until`',
    fields: { ...endpointFields, previous_until: 'epoch milliseconds' },
    words: { en: 'Secret of a webhook renewed', de: 'Geheimnis eines Webhooks erneuert' },
  },
)

export const webhookTested = eventType<{ readonly webhook: string; readonly message: string }>(
  'webhook_tested',
  {
    groups: [],
    description: 'an administrator has a test message sent; never sent to webhooks itself',
    fields: { webhook: '', message: 'the `webhook-id`' },
    words: { en: 'Test message sent to a webhook', de: 'Testnachricht an einen Webhook gesendet' },
  },
)

export const webhookDeliveriesRepeated = eventType<{
  readonly webhook: string
  readonly deliveries: number
}>('webhook_deliveries_repeated', {
  groups: [],
  description: 'an administrator has deliveries sent again, or at once',
  fields: { webhook: '', deliveries: 'how many' },
  words: { en: 'Deliveries of a webhook repeated', de: 'Zustellungen eines Webhooks wiederholt' },
})

export const webhookDisabled = eventType<
  EndpointFields & {
    readonly reason: 'gone' | 'took_nothing'
    readonly failing_since: number | null
  }
>('webhook_disabled', {
  level: 'critical',
  groups: ['service'],
  description:
    'a webhook took nothing for three days, or answered 410: nothing is sent to it until it is enabled',
  fields: {
    ...endpointFields,
    reason: '`took_nothing` or `gone`',
    failing_since: 'epoch milliseconds',
  },
  words: { en: 'Webhook disabled: it took nothing', de: 'Webhook abgeschaltet: Er nahm nichts an' },
})

export const webhookDeliveryFailed = eventType<{
  readonly webhook: string
  readonly message: string
  readonly type: string
  readonly status: number | null
  readonly detail: string | null
}>('webhook_delivery_failed', {
  level: 'warn',
  groups: [],
  description:
    'a message is given up, some three days after its first attempt; never sent to webhooks itself',
  fields: {
    webhook: '',
    message: 'the `webhook-id`',
    type: 'of its event',
    status: 'of the last answer; null if there was none',
    detail: '',
  },
  words: { en: 'Delivery to a webhook given up', de: 'Zustellung an einen Webhook aufgegeben' },
})
