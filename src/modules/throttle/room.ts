import { fileBeside, type Room } from '../../core/module/room.ts'
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
  commands: [
    {
      rows: [
        {
          name: 'throttle list',
          summary: 'Shows lockouts and limits that count failed logins, and until when they block',
        },
        {
          name: 'throttle clear',
          operands: ['[username]'],
          summary:
            'Forgets the failed logins of a username over all addresses, and ends its lockout; or those of an address',
        },
      ],
      file: fileBeside(import.meta.url, '../login/throttle-commands'),
      settings: ['LOGIN_LOCK_AFTER'],
    },
  ],
  parts: () => import('./parts.ts'),
}
