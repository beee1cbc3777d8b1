import { fileBeside, type Room } from '../../core/module/room.ts'
import type { Needs } from './parts.ts'

export const room: Room<Needs> = {
  name: 'email-login',
  methods: [{ name: 'email', amr: ['email'] }],
  events: fileBeside(import.meta.url, './events'),
  settings: ['SIGN_IN_BY_MAIL', 'SIGN_IN_CODE_SECONDS'],
  parts: () => import('./parts.ts'),
}
