import { fileBeside, type Room } from '../../core/module/room.ts'
import type { Needs } from './parts.ts'

export const room: Room<Needs> = {
  name: 'forward',
  tag: 'Applications',
  events: fileBeside(import.meta.url, './events'),
  settings: ['FORWARD_AUTH_FILE'],
  commands: [
    {
      rows: [
        {
          name: 'forward check',
          operands: ['url', '[user]'],
          summary:
            'Says which rule of FORWARD_AUTH_FILE answers a request to an application, and why; for a user, what would happen',
        },
      ],
      file: fileBeside(import.meta.url, './commands'),
      settings: ['ROLES', 'REQUIRE_SECOND_FACTOR', 'LOGIN_LOCK_AFTER'],
    },
  ],
  tables: [
    {
      name: 'forward_tickets',
      key: [],
      leftOut: 'valid for ten seconds, in a browser that waits elsewhere',
    },
    {
      name: 'forward_sessions',
      key: ['id'],
      isLogin: true,
    },
  ],
  personalData: async () => (await import('./personal-data.ts')).sections,
  parts: () => import('./parts.ts'),
}
