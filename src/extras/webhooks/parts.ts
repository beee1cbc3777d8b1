import type { RoomParts } from '../../core/module/room.ts'
import { type DeliveryRoutesOptions, deliveryRoutes } from './delivery-routes.ts'
import type { WebhookInterest } from './interest.ts'
import { type WebhookRoutesOptions, webhookRoutes } from './routes.ts'
import type { WebhookSender } from './sender.ts'

export type Needs = WebhookRoutesOptions &
  DeliveryRoutesOptions & {
    readonly webhookInterest: WebhookInterest
    readonly webhookSender: WebhookSender
  }

const lookEveryMs = 100
const refreshEveryMs = 1000

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    await app.register(webhookRoutes, needs)
    await app.register(deliveryRoutes, needs)
  },

  jobs: ({ webhookEndpoints, webhookInterest, webhookSender }) => [
    {
      name: 'webhook endpoints',
      everyMs: refreshEveryMs,
      inEachWorker: true,
      run: () => webhookInterest.refresh(),
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
