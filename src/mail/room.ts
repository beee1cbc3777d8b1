import type { Room } from '../room/room.ts'
import type { Needs } from './parts.ts'

export const room: Room<Needs> = {
  name: 'mail',
  tables: [
    {
      name: 'mails',
      key: ['id'],
      sealed: ['sealed'],
      needsKeys: true,
      isLogin: true, // a restored one would be sent again
      person: { column: 'user_id', gone: 'cleared' },
    },
    {
      name: 'notices',
      key: ['id'],
      givesIds: true,
      sealed: ['sealed'],
      needsKeys: true,
      person: { column: 'user_id', gone: 'removed' },
    },
    {
      name: 'known_devices',
      key: ['user_id', 'device'],
      needsKeys: true,
      person: { column: 'user_id', gone: 'removed' },
    },
  ],
  errors: ['mailNotFound', 'mailUnavailable'],
  settings: [
    'SMTP_URL',
    'MAIL_FROM',
    'MAIL_REPLY_TO',
    'MAIL_HELO_NAME',
    'MAIL_CA_FILE',
    'MAIL_REQUESTS_PER_CLIENT',
    'MAIL_PER_MINUTE',
  ],
  parts: () => import('./parts.ts'),
}
