import type { Module } from '../../core/module/module.ts'
import { refusalNotFound } from './problems.ts'
import { tables } from './tables.ts'

/** Explains stored refusals, with remedies. docs/adr/0053 */
export const module: Module = {
  name: 'explain',
  tag: {
    name: 'Explain',
    description: 'Why a request was refused, and whether another one would be.',
  },
  tables,
  settings: () => import('./settings.ts'),
  reasons: () => import('./reasons.ts'),
  errors: [refusalNotFound],
  checks: () => import('./checks.ts'),
  monitoring: () => import('./monitoring.ts'),
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
      load: () => import('./command.ts'),
      settings: ['USERS_POLICY', 'POSTS_DELETE_POLICY', 'REQUIRE_SECOND_FACTOR'],
    },
  ],
  services: () => import('./services.ts'),
  routes: () => import('./routes.ts'),
  jobs: ({ refusals }) => [
    { name: 'refusals', everyMs: 1000, inEachWorker: true, run: refusals.flush },
    { name: 'old refusals', purge: refusals.purge },
  ],
}
