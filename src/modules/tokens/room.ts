import { fileBeside, type Room } from '../../core/module/room.ts'
import type { Needs } from './parts.ts'

export const room: Room<Needs> = {
  name: 'token',
  tag: 'Tokens',
  tables: [
    {
      name: 'revocations',
      key: ['id'],
      givesIds: true,
      person: {
        column: 'user_id',
        onDelete: { kept: 'tokens of a user who is gone stay refused until they expire' },
        excluded: 'from which counter on tokens count, until they expire',
      },
    },
    { name: 'refresh_uses', key: ['rid'] },
    { name: 'refresh_families_ended', key: ['family'] },
  ],
  events: fileBeside(import.meta.url, './events'),
  errors: [
    'invalidRequest',
    'invalidOrExpiredToken',
    'noTokenProvided',
    'invalidToken',
    'invalidRefreshToken',
    'unauthorizedClient',
    'unsupportedRequest',
  ],
  settings: [
    'TOKEN_ISSUER',
    'TOKEN_AUDIENCE',
    'TOKEN_SECONDS',
    'ACCESS_TOKEN_SECONDS',
    'REFRESH_TOKEN_SECONDS',
    'REFRESH_ROTATION',
    'REFRESH_GRACE_SECONDS',
  ],
  commands: [
    {
      rows: [
        {
          name: 'token inspect',
          summary: 'Shows the parts of a token, and whether the service accepts it now',
        },
      ],
      file: fileBeside(import.meta.url, './commands'),
      settings: ['BASE_URL', 'TOKEN_SECRET', 'TOKEN_SECRET_PREVIOUS', 'TOKEN_PRIVATE_KEY'],
    },
  ],
  parts: () => import('./parts.ts'),

  onAccountEnded:
    async ({ revocations }) =>
    (trx, { userId, accessVersion }) =>
      revocations.revokeBelow(trx, userId, accessVersion),
}
