import type { ModuleTable } from '../../core/module/module.ts'

export const tables: readonly ModuleTable[] = [
  {
    name: 'known_devices',
    key: ['user_id', 'device'],
    needsKeys: true,
    person: { column: 'user_id', onDelete: 'delete' },
    namesNone: ['device'],
  },
]

declare module '../../core/database/schema.ts' {
  interface Schema {
    known_devices: KnownDevicesTable
  }
}

interface KnownDevicesTable {
  user_id: number
  /** Keyed digest. */
  device: string
  first_seen_at: number
  last_seen_at: number
}
