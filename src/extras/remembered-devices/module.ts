import type { Module } from '../../core/module/module.ts'
import { deviceNotFound } from './problems.ts'
import { tables } from './tables.ts'

/**
 * "Do not ask on this device": on the sign-in page a remembered device takes the place of the second
 * factor after a right password. It proves nothing, and ends with all logins of its account.
 * docs/adr/0099
 */
export const module: Module = {
  name: 'remembered-devices',
  requires: ['own-account'],
  tag: 'Second factor',
  tables,
  commands: [
    {
      rows: [
        {
          name: 'device list',
          operands: ['username'],
          summary: 'Shows the remembered devices of an account, the newest first',
        },
        {
          name: 'device end',
          operands: ['username', '[id]'],
          summary: 'Forgets one remembered device of an account; without an id, all',
        },
      ],
      load: () => import('./commands.ts'),
    },
  ],
  events: () => import('./events.ts'),
  errors: [deviceNotFound],
  reasons: () => import('./reasons.ts'),
  settings: () => import('./settings.ts'),
  services: () => import('./services.ts'),
  routes: () => Promise.all([import('./own-routes.ts'), import('./admin-routes.ts')]),
  pages: () => import('./pages/routes.ts'),
  jobs: ({ rememberedDevices }) => [{ name: 'remembered devices', purge: rememberedDevices.purge }],
}
