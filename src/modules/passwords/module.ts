import type { Module } from '../../core/module/module.ts'
import { tables } from './tables.ts'

export const module: Module = {
  name: 'passwords',
  tables,
  events: () => import('./events.ts'),
  settings: () => import('./settings.ts'),
  services: () => import('./services.ts'),
  monitoring: () => import('./monitoring.ts'),
}
