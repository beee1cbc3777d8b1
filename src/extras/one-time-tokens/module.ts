import type { Module } from '../../core/module/module.ts'

export const module: Module = {
  name: 'one-time-tokens',
  tables: [
    {
      name: 'confirmations',
      key: ['id'],
      sealed: ['sealed'],
      needsKeys: true,
      isLogin: true, // its link sets a password, or signs in
      person: { column: 'user_id', onDelete: 'delete' },
    },
  ],
  reasons: () => import('./reasons.ts'),
  services: () => import('./services.ts'),
  jobs: ({ confirmations }) => [{ name: 'expired confirmations', purge: confirmations.purge }],
}
