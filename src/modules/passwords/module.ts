import type { Module } from '../../core/module/module.ts'
import { tables } from './tables.ts'

export const module: Module = {
  name: 'passwords',
  tables,
  events: () => import('./events.ts'),
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
}
