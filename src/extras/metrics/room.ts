import type { Room } from '../../core/module/room.ts'
import type { Needs } from './parts.ts'

export const room: Room<Needs> = {
  name: 'metrics',
  tag: 'Service',
  settings: ['METRICS_ADDRESS'],
  parts: () => import('./parts.ts'),
}
