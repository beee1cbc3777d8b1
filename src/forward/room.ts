import type { Room } from '../room/room.ts'

export const room: Room = {
  name: 'forward',
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
}
