import type { RoomParts } from '../../core/module/room.ts'
import { type DeliveryRoutesOptions, deliveryRoutes } from './delivery-routes.ts'
import { type WebhookRoutesOptions, webhookRoutes } from './routes.ts'
import type { WebhookSender } from './sender.ts'
import type { WebhookSubscriptions } from './subscriptions.ts'

export type Needs = WebhookRoutesOptions &
  DeliveryRoutesOptions & {
    readonly webhookSubscriptions: WebhookSubscriptions
    readonly webhookSender: WebhookSender
  }

const lookEveryMs = 100
const refreshEveryMs = 1000

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    await app.register(webhookRoutes, needs)
    await app.register(deliveryRoutes, needs)
  },

  jobs: ({ webhookEndpoints, webhookSubscriptions, webhookSender }) => [
    {
      name: 'webhook endpoints',
      everyMs: refreshEveryMs,
      inEachWorker: true,
      run: () => webhookSubscriptions.refresh(),
    },
    {
      name: 'webhooks',
      everyMs: lookEveryMs,
      isIdle: webhookSender.isIdle,
      run: webhookSender.run,
    },
    { name: 'forgotten webhooks', purge: webhookSender.findForgotten },
    { name: 'webhooks of 30 days ago', purge: webhookSender.purge },
    { name: 'removed webhooks', everyMs: 5_000, purge: webhookEndpoints.purgeRemoved },
  ],
}
