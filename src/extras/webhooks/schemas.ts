import {
  Count,
  exactly,
  Id,
  type JsonSchema,
  named,
  pageExample,
  pageOf,
  Text,
  TextOrNull,
  Time,
  TimeOrNull,
} from '../../core/http/schemas.ts'

export const deliveryStates = ['waiting', 'delivered', 'failed', 'cancelled'] as const
export const repeatedStates = ['failed', 'delivered', 'cancelled'] as const

const exampleId = '01KAYQ3V6E8X7N5T2R9W0ZB4CD'
const exampleUrl = 'https://hr.example.org/gatehouse'
const StatusOrNull = { type: ['integer', 'null'] } as const

export const WebhookId = {
  type: 'object',
  properties: { id: { ...Text, examples: [exampleId] } },
} as const

export const DeliveryId = {
  type: 'object',
  properties: {
    id: { ...Id, description: 'Anything but an integer from 1 is not found', examples: [4711] },
  },
} as const

const Url = {
  type: 'string',
  minLength: 1,
  maxLength: 2048,
  description:
    'Where messages are sent to by POST: https, and outside production http to a loopback address',
} as const
const Description = { type: 'string', maxLength: 200, format: 'text' } as const
const Events = {
  type: 'array',
  items: { type: 'string', minLength: 1, maxLength: 64 },
  description:
    'Types of events, docs/events.md: names, or beginnings of names before a `*`. `*` is all of them; `audit_checkpoint`, each checkpoint of the audit log, is chosen by its name alone',
} as const
const Content = {
  type: 'string',
  enum: ['ids', 'full'],
  description:
    '`ids`: messages hold no usernames, addresses, user agents or texts of the event; `full`: all that the audit log has',
} as const

const wanted = { url: Url, description: Description, events: Events, content: Content } as const
const wantedExample = {
  url: exampleUrl,
  description: 'Leavers lose their accounts',
  events: ['user_deleted', 'authn_login_lock'],
  content: 'ids',
}

export const CreateWebhook = named(
  'NewWebhook',
  { type: 'object', required: ['url', 'events'], properties: wanted },
  wantedExample,
)

export const ChangeWebhook = named(
  'WebhookChanges',
  {
    type: 'object',
    properties: {
      ...wanted,
      state: {
        type: 'string',
        enum: ['enabled', 'disabled'],
        description: 'While it is disabled, nothing is sent, and events are not kept for it',
      },
    },
  },
  { state: 'disabled' },
)

const webhookFields = {
  id: Text,
  url: Text,
  description: Text,
  events: { type: 'array', items: Text },
  content: Content,
  state: {
    type: 'string',
    enum: ['enabled', 'disabled', 'failed'],
    description: '`failed`: disabled by the service, because it took nothing for days or is gone',
  },
  previous_secret_until: {
    ...TimeOrNull,
    description: 'Until then messages are signed with the secret before as well',
  },
  created_at: Time,
  updated_at: Time,
} as const

const Health = {
  type: 'object',
  description: 'How it answers; it is no part of what the ETag says',
  required: ['failing_since', 'succeeded_at', 'status'],
  properties: {
    failing_since: { ...TimeOrNull, description: 'The first failure since the last success' },
    succeeded_at: TimeOrNull,
    status: { ...StatusOrNull, description: 'Of the last answer; null if there was none' },
  },
  additionalProperties: false,
} as const

const webhookExample = {
  id: exampleId,
  ...wantedExample,
  state: 'enabled',
  previous_secret_until: null,
  created_at: '2026-03-02T08:15:30.000Z',
  updated_at: '2026-03-02T08:15:30.000Z',
  health: { failing_since: null, succeeded_at: '2026-03-02T09:40:00.000Z', status: 204 },
}

export const WebhookBody = named(
  'Webhook',
  {
    type: 'object',
    required: [...Object.keys(webhookFields), 'health'],
    properties: { ...webhookFields, health: Health },
    additionalProperties: false,
  },
  webhookExample,
)

export const WebhookWithSecret = named(
  'WebhookWithSecret',
  {
    type: 'object',
    required: [...Object.keys(webhookFields), 'health', 'secret'],
    properties: {
      ...webhookFields,
      health: Health,
      secret: { ...Text, description: 'By which the receiver verifies messages; shown this once' },
    },
    additionalProperties: false,
  },
  { ...webhookExample, secret: 'whsec_vJCVaKLmxyZQ9SFBl3Tz3gWmm5wKXLn8s3iWmcbkCd0=' },
)

export const WebhookPage = named(
  'WebhookPage',
  pageOf(WebhookBody, 'How many webhooks there are'),
  pageExample(webhookExample),
)

const deliveryFields = {
  id: Id,
  webhook: { ...Text, description: 'The id of the webhook' },
  message: { ...Text, description: 'The `webhook-id` of all its attempts' },
  type: { ...Text, description: 'The type of the event' },
  state: {
    type: 'string',
    enum: deliveryStates,
    description: '`failed`: given up; `cancelled`: there is nothing to send any more',
  },
  attempts: Count,
  status: { ...StatusOrNull, description: 'Of the last answer; null if there was none' },
  detail: { ...TextOrNull, description: 'Why the last attempt failed' },
  at: { ...Time, description: 'When the event was' },
  created_at: { ...Time, description: 'When it began to wait for this webhook' },
  due_at: { ...TimeOrNull, description: 'The next attempt; null after the end' },
  finished_at: TimeOrNull,
} as const

const deliveryExample = {
  id: 4711,
  webhook: exampleId,
  message: '01KAYQ7T9M1D4H6J8K0M2N4P6Q',
  type: 'user_deleted',
  state: 'waiting',
  attempts: 2,
  status: 503,
  detail: 'the answer was 503',
  at: '2026-03-02T09:40:00.000Z',
  created_at: '2026-03-02T09:40:00.120Z',
  due_at: '2026-03-02T09:45:11.000Z',
  finished_at: null,
}

export const DeliveryBody = named(
  'WebhookDelivery',
  {
    type: 'object',
    required: Object.keys(deliveryFields),
    properties: deliveryFields,
    additionalProperties: false,
  },
  deliveryExample,
)

export const DeliveryPage = named(
  'WebhookDeliveryPage',
  exactly({
    limit: Id,
    data: { type: 'array', items: DeliveryBody },
    next: {
      ...TextOrNull,
      description:
        'The `cursor` of older deliveries; null at the end. A page looks through 20,000 at most, so that one with filters may be empty and have a `next`',
    },
  }),
  { limit: 10, data: [deliveryExample], next: null },
)

export const DeliveryWithAnswer = named(
  'WebhookDeliveryWithAnswer',
  {
    type: 'object',
    required: [...Object.keys(deliveryFields), 'answer'],
    properties: {
      ...deliveryFields,
      answer: {
        ...TextOrNull,
        description:
          'What the receiver said when it refused the last attempt, cut at 4 KiB; a text of others',
      },
    },
    additionalProperties: false,
  },
  { ...deliveryExample, answer: 'upstream is down' },
)

/** The route validates the values. */
export function deliveryQuery(maxPerPage: number, more: JsonSchema = {}) {
  return {
    type: 'object',
    properties: {
      ...more,
      state: {
        type: 'string',
        enum: deliveryStates,
        description: 'Deliveries in this state',
        examples: ['failed'],
      },
      type: { ...Text, description: 'The type of the event', examples: ['user_deleted'] },
      message: { ...Text, description: 'The `webhook-id`', examples: [deliveryExample.message] },
      since: {
        ...Time,
        description: 'Events from this time on',
        examples: ['2026-03-01T00:00:00Z'],
      },
      until: {
        ...Time,
        description: 'Events before this time',
        examples: ['2026-04-01T00:00:00Z'],
      },
      limit: {
        type: 'integer',
        minimum: 1,
        default: 10,
        description: `A value that is no such integer counts as 10. More than ${maxPerPage} counts as ${maxPerPage}.`,
        examples: [50],
      },
      cursor: {
        type: 'string',
        description: 'The `next` of the page before, with the same filters',
      },
    },
  } as const
}

export const webhookFilter = {
  webhook: { ...Text, description: 'The id of a webhook', examples: [exampleId] },
} as const

export const RepeatDeliveries = named(
  'WebhookRepetition',
  {
    type: 'object',
    properties: {
      state: { type: 'string', enum: repeatedStates, default: 'failed' },
      type: { type: 'string', minLength: 1, maxLength: 64, description: 'The type of the event' },
      since: { ...Time, description: 'Events from this time on' },
      until: { ...Time, description: 'Events before this time' },
      after: { ...Count, description: 'The `next` of the answer before, with the same filters' },
    },
  },
  { state: 'failed', since: '2026-03-01T00:00:00Z' },
)

export const RepeatedDeliveries = named(
  'RepeatedWebhookDeliveries',
  exactly({
    repeated: Count,
    next: {
      type: ['integer', 'null'],
      description: 'One request repeats 10,000 at most: `after` of the next one; null at the end',
    },
  }),
  { repeated: 12, next: null },
)
