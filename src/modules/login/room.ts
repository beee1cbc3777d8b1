import type { Room } from '../../core/module/room.ts'
import type { Needs } from './parts.ts'

export const room: Room<Needs> = {
  name: 'login',
  tag: 'Sign in',
  errors: ['enrolmentRequired'],
  settings: ['LOGIN_FORM_MODE', 'LOGIN_JSON_MODE'],
  parts: () => import('./parts.ts'),
}
