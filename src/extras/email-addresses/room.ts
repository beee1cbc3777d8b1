import { fileBeside, type Room } from '../../core/module/room.ts'
import type { Needs } from './parts.ts'

export const room: Room<Needs> = {
  name: 'emails',
  tag: 'Own account',
  events: fileBeside(import.meta.url, './events'),
  errors: ['emailExists', 'emailNotVerified'],
  settings: ['VERIFICATION_SECONDS', 'EMAIL_CHANGE_SECONDS'],
  parts: () => import('./parts.ts'),
}
