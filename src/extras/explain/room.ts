import { fileBeside, type Room } from '../../core/module/room.ts'
import type { Needs } from './parts.ts'

export const room: Room<Needs> = {
  name: 'explain',
  tag: {
    name: 'Explain',
    description: 'Why a request was refused, and whether another one would be.',
  },
  tables: [
    {
      name: 'refusals',
      key: [],
      leftOut: 'kept for a day, to explain refusals of the service that wrote them',
    },
  ],
  errors: ['refusalNotFound'],
  settings: ['REFUSALS_MAX'],
  commands: [
    {
      rows: [
        {
          name: 'explain',
          operands: ['[id]'],
          summary:
            'Says why a request was refused, by its X-Request-Id, or whether a token or a user would be',
        },
      ],
      file: fileBeside(import.meta.url, './command'),
      settings: ['USERS_POLICY', 'POSTS_DELETE_POLICY', 'REQUIRE_SECOND_FACTOR'],
    },
  ],
  personalData: async () => (await import('./personal-data.ts')).sections,
  onErasure: async () => {
    const { refusalStore } = await import('./store.ts')
    return (trx, userId) => refusalStore(trx).erase(userId)
  },
  parts: () => import('./parts.ts'),
}
