import { afterCommit } from '../../core/database/commit.ts'
import { hook, service } from '../../core/module/service.ts'
import { createWebhookDesk, type WebhookDesk } from './desk.ts'
import { createEndpoints, type Endpoints, webhookChanges } from './endpoints.ts'
import { createWebhookFigures, type WebhookFigures } from './figures.ts'
import { createWebhookInterest, type WebhookInterest } from './interest.ts'
import { createWebhookOutbox, type WebhookOutbox } from './outbox.ts'
import { createPace } from './pace.ts'
import { createWebhookSender, type WebhookSender } from './sender.ts'
import { outboundRules } from './target-rules.ts'
import type { EndpointRules } from './wanted.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly webhookDesk: WebhookDesk
    readonly webhookEndpoints: Endpoints
    readonly webhookFigures: WebhookFigures
    readonly webhookInterest: WebhookInterest
    readonly webhookOutbox: WebhookOutbox
    readonly webhookRules: EndpointRules
    readonly webhookSender: WebhookSender
  }
}

export const services = [
  service({
    needs: ['db', 'feed', 'workers'],
    makes: ['webhookInterest'],
    create: async (needs) => {
      const webhookInterest = createWebhookInterest(needs)
      await webhookInterest.refresh()
      return { webhookInterest }
    },
  }),
  service({
    needs: ['webhookInterest'],
    makes: ['webhookOutbox'],
    create: ({ webhookInterest: interest }) => ({
      webhookOutbox: createWebhookOutbox({ interest }),
    }),
  }),
  service({
    needs: ['webhookOutbox', 'clock', 'db', 'events', 'personSeal', 'random'],
    makes: ['webhookDesk'],
    create({ webhookOutbox, ...needs }) {
      const webhookDesk = createWebhookDesk(needs)
      webhookDesk.onDue(webhookOutbox.wake)
      return { webhookDesk }
    },
  }),
  service({
    needs: [
      'config',
      'webhookInterest',
      'webhookOutbox',
      'measurements',
      'asyncCommitDb',
      'db',
      'log',
      'personSeal',
      'clock',
      'events',
      'keys',
      'random',
      'auditLog',
    ],
    makes: ['webhookSender'],
    create: ({ webhookInterest: interest, webhookOutbox: outbox, ...needs }) => ({
      webhookSender: createWebhookSender({
        ...needs,
        interest,
        outbox,
        pace: createPace({
          wait: needs.clock.wait,
          events: outbox.total,
          requests: () => needs.measurements.requests.total,
        }),
        rules: outboundRules(needs.config),
      }),
    }),
    stop: ({ webhookSender }) => webhookSender.close(),
  }),
  service({
    needs: ['clock', 'db', 'events', 'keys', 'random', 'webhookInterest'],
    makes: ['webhookEndpoints'],
    create: ({ webhookInterest: { announce }, ...needs }) => ({
      webhookEndpoints: createEndpoints({ ...needs, announce }),
    }),
  }),
  service({
    needs: ['clock', 'db'],
    makes: ['webhookFigures'],
    create: (needs) => ({ webhookFigures: createWebhookFigures(needs) }),
  }),
  service({
    needs: ['config', 'knownEvents'],
    makes: ['webhookRules'],
    create: ({ config, knownEvents }) => ({
      webhookRules: {
        knownEvents: knownEvents.map(({ name }) => name),
        outbound: outboundRules(config),
      },
    }),
  }),
]

export const hooks = [
  hook('onEvent', ['webhookInterest'], ({ webhookInterest }) => ({
    names: webhookChanges,
    take: async (trx) => afterCommit(trx, webhookInterest.changed),
  })),
  hook('onRecordsInserted', ['webhookOutbox'], ({ webhookOutbox }) => webhookOutbox.addRecords),
  hook(
    'onCheckpointInserted',
    ['webhookOutbox'],
    ({ webhookOutbox }) => webhookOutbox.addCheckpoint,
  ),
]
