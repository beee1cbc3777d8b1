import type { Module } from '../../core/module/module.ts'
import { tooManyKeys } from './problems.ts'
import { tables } from './tables.ts'

const minuteMs = 60_000

/**
 * Keys of programs, `Authorization: Bearer gth_...`, limited by scopes: docs/keys.md. A known key
 * costs no statement: the log of revocations tells when its row must be read again. docs/adr/0097
 */
export const module: Module = {
  name: 'api-keys',
  tables,
  eventCategory: 'credentials',
  events: () => import('./events.ts'),
  reasons: () => import('./reasons.ts'),
  errors: [tooManyKeys],
  services: () => import('./services.ts'),
  authenticators: async () => {
    const { keysBeside } = await import('./authenticator.ts')
    return ({ keyJudge }, before) =>
      before.map((own) => (own.scheme === 'bearer' ? keysBeside(own, keyJudge) : own))
  },
  routes: () => Promise.all([import('./admin-routes.ts'), import('./public-routes.ts')]),
  jobs: (needs) => [
    {
      name: 'last use of keys',
      everyMs: minuteMs,
      inEachWorker: true,
      run: needs.keysUsed.flush,
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
