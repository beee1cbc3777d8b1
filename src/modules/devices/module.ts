import type { Module } from '../../core/module/module.ts'
import { tables } from './tables.ts'

export const module: Module = {
  name: 'devices',
  tables,
  jobs: ({ devices }) => [{ name: 'known devices', purge: devices.purge }],
  services: () => import('./services.ts'),
}
