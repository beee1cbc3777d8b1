import type { Module } from '../../core/module/module.ts'

export const module: Module = {
  name: 'passwords',
  tables: [
    {
      name: 'passwords',
      key: ['account'],
      refersTo: 'accounts',
      person: { column: 'account', onDelete: 'delete' },
      present: async () =>
        (await import('../../core/database/pending-import.ts')).isOfPresentAccount,
    },
  ],
  events: () => import('./events.ts'),
  reasons: () => import('./reasons.ts'),
  settings: [
    'HASHING_MEMORY_MIB',
    'PASSWORD_HASH',
    'PASSWORD_MIN_LENGTH',
    'PASSWORD_ARGON2_MEMORY_KIB',
    'PASSWORD_ARGON2_PASSES',
    'PASSWORD_BCRYPT_COST',
    'PASSWORD_PBKDF2_ITERATIONS',
    'PASSWORD_BREACH_URL',
  ],
  services: () => import('./services.ts'),
  monitoring: () => import('./monitoring.ts'),
}
