import type { Room } from '../room/room.ts'

export const room: Room = {
  name: 'pages',
  settings: [
    'RETURN_ORIGINS',
    'PAGES_NAME',
    'PAGES_COLOR',
    'PAGES_LOGO_FILE',
    'PAGES_LANGUAGE',
    'PAGES_TEXTS_FILE',
  ],
}
