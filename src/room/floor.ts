import { fileBeside, type Room } from './room.ts'

/** What belongs to no room: the part of a manifest that the floor has. */
export const floor: Room = {
  name: 'floor',
  tables: [
    { name: 'row_counts', key: [], leftOut: 'counted again by its triggers, as the rows come in' },
    {
      name: 'schema_version',
      key: [],
      leftOut: 'written by the migrations that make the new database',
    },
    { name: 'room_schemas', key: [], leftOut: 'written by the migrations of rooms, as that is' },
  ],
  errors: [
    'badRequest',
    'invalidBody',
    'validationFailed',
    'authenticationRequired',
    'accessDenied',
    'csrfTokenInvalid',
    'recentLoginRequired',
    'routeNotFound',
    'requestTimeout',
    'preconditionFailed',
    'bodyTooLarge',
    'expectationFailed',
    'tooManyRequests',
    'headerFieldsTooLarge',
    'internal',
    'serviceUnavailable',
  ],
  settings: [
    'HOST',
    'PORT',
    'BASE_URL',
    'DATA_DIR',
    'DATABASE_URL',
    'DATABASE_POOL_MAX',
    'DATABASE_TIMEOUT_MS',
    'NODE_ENV',
    'LOG_LEVEL',
    'TRUST_PROXY',
    'BODY_LIMIT_BYTES',
    'CORS_ORIGINS',
    'LOGIN_TRUSTED_CALLERS',
    'RATE_LIMIT_MAX',
    'RATE_LIMIT_WINDOW_SECONDS',
    'REAUTHENTICATE_SECONDS',
    'PAGE_LIMIT_MAX',
  ],
  commands: [
    {
      names: ['start', 'migrate'],
      file: fileBeside(import.meta.url, '../cli/commands/service'),
    },
    {
      names: ['config check', 'config show'],
      file: fileBeside(import.meta.url, '../cli/commands/config'),
    },
    {
      names: ['routes', 'openapi'],
      file: fileBeside(import.meta.url, '../cli/commands/documents'),
    },
  ],

  async routes(app) {
    const { routeGroups } = await import('../http/routes/route-groups.ts')
    await app.register(routeGroups)
  },
}
