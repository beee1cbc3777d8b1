import type { Module } from '../../core/module/module.ts'
import {
  invalidMetadata,
  invalidRedirectUri,
  invalidRegistrationToken,
  registrationTokenNotFound,
} from './problems.ts'
import { tables } from './tables.ts'

/**
 * Applications that register themselves (RFC 7591), with CLIENT_REGISTRATION=token: an administrator
 * gives out initial access tokens, which limit scopes and redirect addresses. docs/applications.md
 */
export const module: Module = {
  name: 'client-registration',
  requires: ['provider'],
  tag: 'Applications',
  tables,
  eventCategory: 'applications',
  events: () => import('./events.ts'),
  reasons: () => import('./reasons.ts'),
  settings: () => import('./settings.ts'),
  errors: [
    ...[invalidMetadata, invalidRedirectUri],
    ...[invalidRegistrationToken, registrationTokenNotFound],
  ],
  services: () => import('./services.ts'),
  routes: () => Promise.all([import('./admin-routes.ts'), import('./routes.ts')]),
  jobs: ({ asyncCommitDb, clock }) => [
    {
      name: 'registration tokens',
      async purge(batchSize) {
        const { registrationTokenStore } = await import('./store.ts')
        return registrationTokenStore(asyncCommitDb).purge(clock.now(), batchSize)
      },
    },
  ],
}
