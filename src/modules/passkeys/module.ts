import type { Module } from '../../core/module/module.ts'
import { passkeyNotFound, tooManyPasskeys } from './problems.ts'
import { tables } from './tables.ts'

/**
 * Passkeys: WebAuthn credentials with user verification, which replace the password and the second
 * factor. A kind of second factor too. docs/passkeys.md, docs/adr/0098
 */
export const module: Module = {
  name: 'passkeys',
  tag: 'Own account',
  tables,
  methods: [{ name: 'passkey', amr: ['hwk', 'swk', 'user', 'pin', 'mfa'] }],
  events: () => import('./events.ts'),
  errors: [passkeyNotFound, tooManyPasskeys],
  reasons: () => import('./reasons.ts'),
  settings: () => import('./settings.ts'),
  services: () => import('./services.ts'),
  checks: () => import('./checks.ts'),
  routes: () => Promise.all([import('./own-routes.ts'), import('./public-routes.ts')]),
  jobs: ({ asyncCommitDb: db, clock }) => [
    {
      name: 'used challenges of passkeys',
      async purge(batchSize) {
        const { purgeChallenges } = await import('./challenges.ts')
        return purgeChallenges({ db, clock }, batchSize)
      },
    },
  ],
}
