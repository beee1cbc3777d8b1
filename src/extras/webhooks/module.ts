import type { Module } from '../../core/module/module.ts'
import { deliveryNotFound, webhookDisabled, webhookNotFound } from './problems.ts'
import { tables } from './tables.ts'

const lookEveryMs = 100
const refreshEveryMs = 1000

/** docs/adr/0064, 0065 */
export const module: Module = {
  name: 'webhooks',
  tag: 'Webhooks',
  tables,
  events: () => import('./events.ts'),
  settings: () => import('./settings.ts'),
  reasons: () => import('./reasons.ts'),
  errors: [webhookNotFound, deliveryNotFound, webhookDisabled],
  checks: () => import('./checks.ts'),
  monitoring: () => import('./monitoring.ts'),
  commands: [
    {
      rows: [
        {
          name: 'webhook add',
          operands: ['url'],
          summary: 'Has events sent to an address, and shows the secret of their signatures once',
        },
        { name: 'webhook list', summary: 'Shows all webhooks, the oldest first' },
        {
          name: 'webhook update',
          formerly: 'webhook change',
          operands: ['id'],
          summary: 'Changes the address, the events or the content of a webhook',
        },
        {
          name: 'webhook enable',
          operands: ['id'],
          summary: 'Has events sent again to a webhook that is disabled, or has failed',
        },
        {
          name: 'webhook disable',
          operands: ['id'],
          summary: 'Sends nothing to a webhook, and keeps no events for it',
        },
        {
          name: 'webhook secret',
          operands: ['id'],
          summary: 'Gives a webhook a new secret; that before signs as well for 24 hours',
        },
        {
          name: 'webhook remove',
          operands: ['id'],
          summary: 'Removes a webhook with its deliveries, also those that wait',
        },
        {
          name: 'webhook test',
          operands: ['id'],
          summary: 'Has a message sent that says that messages arrive',
        },
      ],
      load: () => import('./commands.ts'),
    },
    {
      rows: [
        {
          name: 'webhook deliveries',
          operands: ['[id]'],
          summary: 'Shows the deliveries of the last 30 days, the newest first',
        },
        {
          name: 'webhook delivery',
          operands: ['delivery'],
          summary: 'Shows a delivery, and what the receiver said when it refused it',
        },
        {
          name: 'webhook redeliver',
          formerly: 'webhook repeat',
          operands: ['[delivery...]'],
          summary: 'Has deliveries sent again, or at once',
        },
      ],
      load: () => import('./delivery-commands.ts'),
    },
  ],
  services: () => import('./services.ts'),
  routes: () => Promise.all([import('./routes.ts'), import('./delivery-routes.ts')]),
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
