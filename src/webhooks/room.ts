import { fileBeside, type Room } from '../room/room.ts'
import { deliveryNotFound, deliveryOpen, webhookDisabled, webhookNotFound } from './problems.ts'

export const room: Room = {
  name: 'webhooks',
  tables: [
    { name: 'webhook_endpoints', key: ['id'], sealed: ['sealed'], needsKeys: true },
    { name: 'webhook_health', key: [], leftOut: 'of the installation that has sent to them' },
    {
      name: 'webhook_events',
      key: ['id'],
      givesIds: true,
      needsKeys: true,
      isLogin: true, // a restored one would be sent again
    },
    {
      name: 'webhook_deliveries',
      key: ['id'],
      givesIds: true,
      sealed: ['sealed'],
      needsKeys: true,
      isLogin: true, // as well
    },
    { name: 'webhook_queues', key: [], leftOut: 'made of the deliveries that wait' },
  ],
  events: fileBeside(import.meta.url, './events'),
  settings: ['WEBHOOK_ADDRESSES'],
  errors: [webhookNotFound, deliveryNotFound, webhookDisabled, deliveryOpen],
}
