import { fileBeside, type Room } from '../room/room.ts'
import type { Needs } from './parts.ts'

export const room: Room<Needs> = {
  name: 'audit',
  tag: 'Audit log',
  tables: [
    { name: 'audit_records', key: ['number'], givesIds: true, needsKeys: true },
    { name: 'audit_chains', key: ['chain'], needsKeys: true },
    { name: 'audit_subjects', key: ['subject'], needsKeys: true },
    { name: 'audit_checkpoints', key: ['number'], needsKeys: true },
    { name: 'audit_tombstones', key: ['chain'], needsKeys: true },
  ],
  events: fileBeside(import.meta.url, './events'),
  parts: () => import('./parts.ts'),
}
