import type { ModuleTable } from '../../core/module/module.ts'

export const tables: readonly ModuleTable[] = [
  {
    name: 'remembered_devices',
    key: ['device'],
    isLogin: true, // a restore would remember devices that have ended since
    needsKeys: true,
    person: { column: 'user_id', onDelete: 'delete' },
    namesPerson: { columns: ['address', 'user_agent'], atErasure: 'the row goes' },
    namesNone: ['device'],
  },
]

declare module '../../core/database/schema.ts' {
  interface Schema {
    remembered_devices: RememberedDevicesTable
  }
}

interface RememberedDevicesTable {
  /** Keyed digest of the account and the device cookie. */
  device: string
  user_id: number
  /** Epoch milliseconds. */
  created_at: number
  last_used_at: number
  address: string
  user_agent: string
}
