import { fileBeside, type Room } from './room.ts'

/** The manifest of the floor: tables, errors and settings that belong to no room. */
export const floor: Room = {
  name: 'floor',
  tables: [
    { name: 'row_counts', key: [], leftOut: 'counted again by its triggers, as the rows come in' },
    { name: 'list_blocks', key: [], leftOut: 'counted again when the rows are in' },
    { name: 'list_changes', key: [], leftOut: 'counted with the rows' },
    {
      name: 'schema_version',
      key: [],
      leftOut: 'written by the migrations that make the new database',
    },
    { name: 'room_schemas', key: [], leftOut: 'written by the migrations of rooms, as that is' },
  ],
  events: [
    fileBeside(import.meta.url, '../http/events'),
    fileBeside(import.meta.url, '../runtime/events'),
  ],
  errors: [
    'badRequest',
    'invalidBody',
    'validationFailed',
    'authenticationRequired',
    'accessDenied',
    'csrfTokenInvalid',
    'httpsRequired',
    'recentLoginRequired',
    'routeNotFound',
    'requestTimeout',
    'preconditionFailed',
    'bodyTooLarge',
    'unsupportedMediaType',
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
    'TLS_CERT_FILE',
    'TLS_KEY_FILE',
    'HTTP_REDIRECT_PORT',
    'DATA_DIR',
    'DATABASE_URL',
    'DATABASE_POOL_MAX',
    'DATABASE_TIMEOUT_MS',
    'NODE_ENV',
    'LOG_LEVEL',
    'LOG_ADDRESSES',
    'TRUST_PROXY',
    'BODY_LIMIT_BYTES',
    'CORS_ORIGINS',
    'LOGIN_TRUSTED_CALLERS',
    'RATE_LIMIT_MAX',
    'RATE_LIMIT_WINDOW_SECONDS',
    'REAUTHENTICATE_SECONDS',
    'PAGE_LIMIT_MAX',
    'WORKERS',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'OTEL_EXPORTER_OTLP_HEADERS',
    'OTEL_SERVICE_NAME',
    'OTEL_TRACES_SAMPLER',
    'OTEL_TRACES_SAMPLER_ARG',
    'TRACES_PER_SECOND',
  ],
  commands: [
    {
      rows: [
        { name: 'start', summary: 'Runs the service, as `npm start` does' },
        {
          name: 'migrate',
          summary:
            'Brings the schema of the database up to date, and makes the database where there is none',
        },
      ],
      file: fileBeside(import.meta.url, '../../cli/commands/service'),
    },
    {
      rows: [
        {
          name: 'config check',
          summary:
            'Tells whether the service could start with these settings, and whether one is misspelt; opens nothing',
        },
        {
          name: 'config show',
          summary: 'Shows every setting, its value and where it comes from; no secret is shown',
        },
      ],
      file: fileBeside(import.meta.url, '../../cli/commands/config'),
    },
    {
      rows: [
        {
          name: 'routes',
          summary:
            'Shows every route: method, path, what guards it, and the rule of who may call it',
        },
        { name: 'openapi', summary: 'Prints the OpenAPI 3.1 document; with --json on one line' },
      ],
      file: fileBeside(import.meta.url, '../../cli/commands/documents'),
    },
    {
      rows: [
        {
          name: 'help',
          operands: ['[command...]'],
          summary: 'Shows all commands, those of a group, or the options of one',
        },
        {
          name: 'completion',
          operands: ['shell'],
          summary: 'Prints the completion of bash, zsh or fish, for the shell to read at its start',
        },
      ],
      file: fileBeside(import.meta.url, '../../cli/commands/help'),
    },
  ],

  async parts() {
    const { routeGroups } = await import('../http/routes/route-groups.ts')
    return { parts: { routes: async (app) => void (await app.register(routeGroups)) } }
  },
}
