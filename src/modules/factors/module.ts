import type { Module } from '../../core/module/module.ts'
import { tables } from './tables.ts'

/**
 * Spec 5.5: the second factors of accounts, whatever their kind. Modules add kinds at the hook point
 * `factorKind`. Whether an account has a factor stands in `accounts.second_factor`, which this module
 * alone changes. The recovery codes come with the first factor and go with the last. docs/adr/0095
 */
export const module: Module = {
  name: 'factors',
  tag: 'Second factor',
  tables,
  eventCategory: 'totp', // as administrators filter it
  events: () => import('./events.ts'),
  reasons: () => import('./reasons.ts'),
  commands: [
    {
      rows: [
        {
          name: 'factor list',
          operands: ['username'],
          summary: 'Shows the second factors of an account, the oldest first',
        },
        {
          name: 'factor remove',
          operands: ['username', 'id'],
          summary: 'Removes one second factor of an account; all its logins end',
        },
      ],
      load: () => import('./commands.ts'),
    },
  ],
  services: () => import('./services.ts'),
  monitoring: () => import('./monitoring.ts'),
  routes: () => Promise.all([import('./own-routes.ts'), import('./admin-routes.ts')]),
}
