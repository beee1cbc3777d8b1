import type { RoomParts } from '../room/room.ts'
import { type DeliveryRoutesOptions, deliveryRoutes } from './delivery-routes.ts'
import { type WebhookRoutesOptions, webhookRoutes } from './routes.ts'

export type Needs = WebhookRoutesOptions & DeliveryRoutesOptions

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    await app.register(webhookRoutes, needs)
    await app.register(deliveryRoutes, needs)
  },

  jobs: ({ webhookEndpoints }) => [
    { name: 'removed webhooks', everyMs: 5_000, purge: webhookEndpoints.purgeRemoved },
  ],
}
