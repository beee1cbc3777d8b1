import { afterCommit } from '../../core/database/commit.ts'
import { namesOfEvent } from '../../core/events/types.ts'
import { hook, service } from '../../core/module/service.ts'
import type { EndpointRules } from './endpoint-input.ts'
import { createEndpoints, type Endpoints, webhookChanges } from './endpoints.ts'
import { createWebhookOutbox, type WebhookOutbox } from './outbox.ts'
import { createWebhookSender, type WebhookSender } from './sender.ts'
import { createWebhookStats, type WebhookStats } from './stats.ts'
import { createWebhookSubscriptions, type WebhookSubscriptions } from './subscriptions.ts'
import { outboundRules } from './target-rules.ts'
import { createWebhookAdmin, type WebhookAdmin } from './webhook-admin.ts'

declare module '../../core/module/services.ts' {
  interface Services {
    readonly webhookAdmin: WebhookAdmin
    readonly webhookEndpoints: Endpoints
    readonly webhookStats: WebhookStats
    readonly webhookSubscriptions: WebhookSubscriptions
    readonly webhookOutbox: WebhookOutbox
    readonly webhookRules: EndpointRules
    readonly webhookSender: WebhookSender
  }
}

export const services = [
  service({
    needs: ['knownEvents'],
    makes: ['webhookSubscriptions'],
    create: async (needs) => {
      const webhookSubscriptions = createWebhookSubscriptions(needs)
      await webhookSubscriptions.refresh()
      return { webhookSubscriptions }
    },
  }),
  service({
    needs: ['webhookSubscriptions'],
    makes: ['webhookOutbox'],
    create: ({ webhookSubscriptions: subscriptions }) => ({
      webhookOutbox: createWebhookOutbox({ subscriptions }),
    }),
  }),
  service({
    needs: ['webhookOutbox', 'personSeal', 'knownEvents'],
    makes: ['webhookAdmin'],
    create({ webhookOutbox, ...needs }) {
      const webhookAdmin = createWebhookAdmin(needs)
      webhookAdmin.onDue(webhookOutbox.notify)
      return { webhookAdmin }
    },
  }),
  service({
    needs: ['webhookSubscriptions', 'webhookOutbox', 'personSeal', 'keys', 'auditLog'],
    makes: ['webhookSender'],
    create: ({ webhookSubscriptions: subscriptions, webhookOutbox: outbox, ...needs }) => ({
      webhookSender: createWebhookSender({
        ...needs,
        subscriptions,
        outbox,
        rules: outboundRules(needs.config),
      }),
    }),
    stop: ({ webhookSender }) => webhookSender.close(),
  }),
  service({
    needs: ['keys'],
    makes: ['webhookEndpoints'],
    create: (needs) => ({ webhookEndpoints: createEndpoints(needs) }),
  }),
  service({
    makes: ['webhookStats'],
    create: (needs) => ({ webhookStats: createWebhookStats(needs) }),
  }),
  service({
    needs: ['knownEvents'],
    makes: ['webhookRules'],
    create: ({ config, knownEvents }) => ({
      webhookRules: {
        knownEvents: knownEvents.flatMap(({ name }) => namesOfEvent(knownEvents, name)),
        outbound: outboundRules(config),
      },
    }),
  }),
]

export const hooks = [
  hook('onEvent', ['webhookSubscriptions'], ({ webhookSubscriptions }) => ({
    wants: ({ name }) => webhookChanges.includes(name),
    take: async (trx) => afterCommit(trx, webhookSubscriptions.changed),
  })),
  hook('onRecordsInserted', ['webhookOutbox'], ({ webhookOutbox }) => webhookOutbox.addRecords),
  hook(
    'onCheckpointInserted',
    ['webhookOutbox'],
    ({ webhookOutbox }) => webhookOutbox.addCheckpoint,
  ),
]
