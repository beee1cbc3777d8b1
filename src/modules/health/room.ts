import type { Room } from '../../core/module/room.ts'
import type { Needs } from './parts.ts'

export const room: Room<Needs> = {
  name: 'health',
  tag: 'Service',
  parts: () => import('./parts.ts'),
}
