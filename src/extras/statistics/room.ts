import type { Room } from '../../core/module/room.ts'
import type { Needs } from './parts.ts'

export const room: Room<Needs> = {
  name: 'statistics',
  tag: 'Service',
  tables: [
    {
      name: 'statistics_buckets',
      key: ['step', 'at', 'series'],
    },
  ],
  parts: () => import('./parts.ts'),
}
