import { fileBeside, type Room } from '../../core/module/room.ts'
import type { Needs } from './parts.ts'

export const room: Room<Needs> = {
  name: 'session',
  tag: 'Sessions',
  tables: [
    {
      name: 'sessions',
      key: ['id'],
      isLogin: true,
      person: { column: 'user_id', onDelete: 'delete' },
    },
    {
      name: 'session_ends',
      key: [],
      person: {
        column: 'user_id',
        onDelete: 'delete',
        excluded: 'digests of ended sessions, for a day',
      },
      leftOut: 'kept for a day, to explain refusals of the service that wrote them',
    },
  ],
  events: fileBeside(import.meta.url, './events'),
  errors: ['sessionNotFound'],
  /** Browsers must send it with every state-changing request of a session. */
  requestHeaders: [{ name: 'X-CSRF-Token' }],
  settings: [
    'SESSION_COOKIE_NAME',
    'SESSION_IDLE_SECONDS',
    'SESSION_ABSOLUTE_SECONDS',
    'SESSIONS_PER_ACCOUNT',
  ],
  parts: () => import('./parts.ts'),

  personalData: async () => (await import('./personal-data.ts')).sections,
  async onAccountEnded({ clock }) {
    const { endSessionsOf } = await import('./sessions.ts')
    return async (trx, { userId, endsLogins, keepSession, isRemoved }) => {
      if (endsLogins)
        await endSessionsOf(trx, {
          userId,
          exceptId: keepSession,
          now: isRemoved ? null : clock.now(),
        })
    }
  },
}
