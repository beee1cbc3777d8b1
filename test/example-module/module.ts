import type { Module } from '../../src/core/module/module.ts'
import { noteNotFound } from './problems.ts'
import { migrations, tables } from './tables.ts'

/**
 * Notes: short texts of a user, which a device with a key of its own writes. An external module with all
 * that a module can bring, without an edit of src/: two schemes, a stage and a row of the requirement
 * table, a kind of second factor, a way to sign in with pages and a script, four tables with migrations, a resource, a setting, an event, an error, reasons, a job, a command,
 * a check, a part of the status, a metric, a series, and its part of a person's data.
 */
export const module: Module = {
  name: 'notes',
  tag: { name: 'Notes', description: 'Short texts, which a device writes with a key of its own.' },
  requires: ['own-account'],
  web: `${import.meta.dirname}/web`,
  migrations,
  tables,
  events: () => import('./events.ts'),
  errors: [noteNotFound],
  reasons: () => import('./reasons.ts'),
  requestHeaders: [{ name: 'X-Note-Key', isSecret: true }],
  settings: () => import('./settings.ts'),
  checks: () => import('./checks.ts'),
  monitoring: () => import('./monitoring.ts'),
  commands: [
    {
      rows: [
        {
          name: 'note key',
          operands: ['username'],
          summary: 'Makes a key for a device of the account, and shows it once',
        },
      ],
      load: () => import('./commands.ts'),
    },
  ],

  requirements: () => import('./requirements.ts'),
  services: () => import('./services.ts'),
  authenticators: async () => {
    const { keyAuthenticators } = await import('./authenticator.ts')
    return (needs, before) => [...before, ...keyAuthenticators(needs)]
  },
  methods: [{ name: 'badge', amr: ['x-badge'] }],
  pages: () => import('./badge-pages.ts'),
  routes: () => Promise.all([import('./routes.ts'), import('./factor-routes.ts')]),
  jobs: ({ config, clock, db }) => {
    return [
      {
        name: 'old notes',
        async purge(most) {
          const { settingsOf } = await import('../../src/core/config/module-settings.ts')
          const { settings } = await import('./settings.ts')
          const { purgeNotes } = await import('./store.ts')
          const keptMs = settingsOf(config, settings).NOTES_KEEP_DAYS * 86_400_000
          return purgeNotes(db, clock.now() - keptMs, most)
        },
      },
    ]
  },
}
