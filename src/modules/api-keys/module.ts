import type { Module } from '../../core/module/module.ts'
import { tooManyKeys } from './problems.ts'
import { tables } from './tables.ts'

/**
 * Keys of programs, `Authorization: Bearer gth_...`, limited by scopes: docs/keys.md. A known key
 * costs no statement: after an entry in the log of revocations its row is reloaded. docs/adr/0097
 */
export const module: Module = {
  name: 'api-keys',
  tag: 'Own account',
  tables,
  eventCategory: 'credentials',
  events: () => import('./events.ts'),
  reasons: () => import('./reasons.ts'),
  settings: () => import('./settings.ts'),
  errors: [tooManyKeys],
  commands: [
    {
      rows: [
        {
          name: 'api-key create',
          operands: ['username'],
          summary: 'Makes a key of a service account, and shows it once',
        },
        {
          name: 'api-key list',
          operands: ['username'],
          summary: 'Shows the keys and app passwords of an account, the oldest first',
        },
        {
          name: 'api-key rotate',
          operands: ['username', 'id'],
          summary: 'Makes the successor of a key, which stays valid for a day',
        },
        {
          name: 'api-key revoke',
          operands: ['username', 'id'],
          summary: 'Revokes a key or an app password of an account',
        },
      ],
      load: () => import('./commands.ts'),
      settings: ['ROLES'],
    },
  ],
  checks: () => import('./checks.ts'),
  services: () => import('./services.ts'),
  authenticators: async () => {
    const { appPasswordsBeside, keysBeside } = await import('./authenticator.ts')
    return ({ config, keyJudge }, before) =>
      before.map((own) => {
        if (own.scheme === 'bearer') return keysBeside(own, keyJudge)
        if (own.scheme !== 'basic') return own
        return appPasswordsBeside(own, keyJudge, config.appPasswords)
      })
  },
  routes: () =>
    Promise.all([
      import('./admin-routes.ts'),
      import('./own-routes.ts'),
      import('./public-routes.ts'),
    ]),
  jobs: (needs) => [
    {
      name: 'last use of keys',
      everyMs: 30_000,
      inEachWorker: true,
      run: needs.keysUsed.flush,
    },
    {
      name: 'ends of keys',
      async purge(batchSize) {
        const { tellOfEnds } = await import('./expiry.ts')
        return tellOfEnds(needs, batchSize)
      },
    },
    {
      name: 'ended app passwords',
      async purge(batchSize) {
        const { purgeEnded } = await import('./api-keys.ts')
        return purgeEnded(needs, batchSize)
      },
    },
    {
      name: 'expired keys',
      async purge(batchSize) {
        const { purgeKeys } = await import('./api-keys.ts')
        return purgeKeys(needs, batchSize)
      },
    },
  ],
}
