import { fileBeside, type Room } from '../room/room.ts'
import type { Needs } from './parts.ts'

export const room: Room<Needs> = {
  name: 'login',
  errors: ['enrolmentRequired'],
  settings: ['LOGIN_FORM_MODE', 'LOGIN_JSON_MODE'],
  commands: [
    {
      rows: [
        {
          name: 'throttle list',
          summary: 'Shows lockouts and limits that count failed logins, and until when they block',
        },
        {
          name: 'throttle clear',
          operands: ['username'],
          summary:
            'Forgets the failed logins of a username over all addresses, and ends its lockout',
        },
      ],
      file: fileBeside(import.meta.url, '../cli/commands/throttle'),
    },
  ],
  parts: () => import('./parts.ts'),
}
