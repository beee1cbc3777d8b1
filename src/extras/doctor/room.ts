import { fileBeside, type Room } from '../../core/module/room.ts'
import type { Needs } from './parts.ts'

export const room: Room<Needs> = {
  name: 'doctor',
  tag: 'Service',
  commands: [
    {
      rows: [
        {
          name: 'doctor',
          operands: ['[url]'],
          summary:
            'Examines a deployment from inside and, at BASE_URL or another address, from outside: what is wrong, why it matters, and what mends it',
        },
      ],
      file: fileBeside(import.meta.url, './command'),
    },
  ],
  parts: () => import('./parts.ts'),
}
