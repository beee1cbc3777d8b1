import { fileBeside, type Room } from '../room/room.ts'
import type { Needs } from './parts.ts'

export const room: Room<Needs> = {
  name: 'forward',
  tag: 'Applications',
  events: fileBeside(import.meta.url, './events'),
  settings: ['FORWARD_AUTH_FILE'],
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
  parts: () => import('./parts.ts'),
}
