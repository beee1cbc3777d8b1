import { fileBeside, type Room } from '../../core/module/room.ts'
import type { Needs } from './parts.ts'

export const room: Room<Needs> = {
  name: 'recovery',
  events: fileBeside(import.meta.url, './events'),
  errors: ['accountUnusable'],
  settings: ['RESET_SECONDS'],
  commands: [
    {
      rows: [
        {
          name: 'account reset',
          operands: ['username'],
          summary: 'Mails the owner of an account a link that sets a new password',
        },
      ],
      file: fileBeside(import.meta.url, './commands'),
      settings: ['SMTP_URL', 'BASE_URL', 'PAGES_LANGUAGE'],
    },
  ],
  parts: () => import('./parts.ts'),
}
