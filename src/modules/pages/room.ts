import type { Room } from '../../core/module/room.ts'
import type { Needs } from './parts.ts'

export const room: Room<Needs> = {
  name: 'pages',
  settings: [
    'RETURN_ORIGINS',
    'PAGES_NAME',
    'PAGES_COLOR',
    'PAGES_LOGO_FILE',
    'PAGES_LANGUAGE',
    'PAGES_TEXTS_FILE',
  ],
  parts: () => import('./parts.ts'),
}
