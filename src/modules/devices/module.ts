import type { Module } from '../../core/module/module.ts'

/** The browsers that have signed in to an account, known by a cookie. */
export const module: Module = {
  name: 'devices',
  tables: [
    {
      name: 'known_devices',
      key: ['user_id', 'device'],
      needsKeys: true,
      person: { column: 'user_id', onDelete: 'delete' },
    },
  ],
  jobs: ({ devices }) => [{ name: 'known devices', purge: devices.purge }],
  services: () => import('./services.ts'),
}
