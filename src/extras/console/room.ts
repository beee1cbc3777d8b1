import type { Room } from '../../core/module/room.ts'
import type { Needs } from './parts.ts'
import { consoleElsewhere } from './problems.ts'

export const room: Room<Needs> = {
  name: 'console',
  tag: 'Service',
  settings: ['CONSOLE', 'CONSOLE_ADDRESSES'],
  errors: [consoleElsewhere],
  parts: () => import('./parts.ts'),
}
