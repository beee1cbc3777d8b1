import type { Module } from '../../core/module/module.ts'
import { tables } from './tables.ts'

const lookEveryMs = 5000

/**
 * Backup commands, schedule, and restore. A thread writes the file and reads it back. Routes:
 * /api/admin/backups. docs/adr/0067
 */
export const module: Module = {
  name: 'backup',
  tag: 'Service',
  tables,
  events: () => import('./events.ts'),
  settings: () => import('./settings.ts'),
  reasons: () => import('./reasons.ts'),
  checks: () => import('./checks.ts'),
  monitoring: () => import('./monitoring.ts'),
  commands: [
    {
      rows: [
        {
          name: 'backup',
          operands: ['file'],
          summary: 'Writes all data to a new file, while the service goes on',
        },
        {
          name: 'backup list',
          summary: 'Shows the backups that the service made by itself, the newest first',
        },
        {
          name: 'backup verify',
          operands: ['file'],
          summary: 'Reads a whole backup as a restore does, and loads nothing',
        },
        {
          name: 'restore',
          operands: ['file'],
          summary: 'Fills an empty database from a backup, and ends all logins',
        },
        {
          name: 'move',
          summary:
            'Copies the SQLite database to an empty PostgreSQL one; the service must be stopped',
        },
      ],
      load: () => import('./commands.ts'),
    },
  ],
  services: () => import('./services.ts'),
  routes: () => import('./routes.ts'),
  jobs: ({ backups }) => [
    { name: 'backups', everyMs: lookEveryMs, isIdle: () => !backups.isOn, run: backups.run },
    { name: 'runs of backups', purge: backups.purge },
  ],
}
