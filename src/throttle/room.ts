import { fileBeside, type Room } from '../room/room.ts'
import type { Needs } from './parts.ts'

export const room: Room<Needs> = {
  name: 'throttle',
  tag: 'Sign in',
  tables: [
    { name: 'throttle_places', key: ['id'], givesIds: true },
    { name: 'used_challenges', key: ['nonce'] },
  ],
  events: fileBeside(import.meta.url, './events'),
  errors: ['captchaRequired', 'tooManyLoginAttempts'],
  settings: [
    'LOGIN_ATTEMPTS',
    'LOGIN_WINDOW_SECONDS',
    'LOGIN_ADDRESS_ATTEMPTS',
    'LOGIN_ADDRESS_WINDOW_SECONDS',
    'LOGIN_CAPTCHA_AFTER',
  ],
  parts: () => import('./parts.ts'),
}
