import type { Module } from './module.ts'

/** Tables, errors and settings that belong to no other module. */
export const module: Module = {
  name: 'core',
  eventCategory: 'floor',
  tables: [
    {
      name: 'row_counts',
      key: [],
      leftOut: 'counted again by its triggers, as the rows come in',
      namesNone: ['name'],
    },
    // Empty, but nodes of 0.12.0 read the table. docs/adr/0085
    {
      name: 'list_blocks',
      key: [],
      leftOut: 'empty since version 0.13.0',
      namesNone: ['list', 'key'],
    },
    {
      name: 'list_changes',
      key: [],
      leftOut: 'empty since version 0.13.0',
      namesNone: ['list', 'name_key', 'email_key'],
    },
    {
      name: 'imports',
      key: [],
      leftOut: 'under way elsewhere: begun anew where the data goes',
      namesNone: ['state'],
    },
    {
      name: 'schema_version',
      key: [],
      leftOut: 'written by the migrations that make the new database',
      namesNone: ['kind'],
    },
    {
      name: 'room_schemas',
      key: [],
      leftOut: 'written by the migrations of modules, as that is',
      namesNone: ['room'],
    },
  ],
  events: () => Promise.all([import('../http/events.ts'), import('../runtime/events.ts')]),
  reasons: () =>
    Promise.all([
      import('../reasons/requests.ts'),
      import('../reasons/credentials.ts'),
      import('../reasons/access.ts'),
      import('../reasons/bodies.ts'),
      import('../reasons/service.ts'),
    ]),
  settings: () => import('../config/settings.ts'),
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
      load: () => import('../../cli/commands/service.ts'),
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
      load: () => import('../../cli/commands/config.ts'),
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
      load: () => import('../../cli/commands/documents.ts'),
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
      load: () => import('../../cli/commands/help.ts'),
    },
  ],
  routes: () => import('../http/routes/route-groups.ts'),
}
