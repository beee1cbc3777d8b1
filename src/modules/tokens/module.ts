import type { Module } from '../../core/module/module.ts'
import { invalidRequest, unauthorizedClient, unsupportedRequest } from './problems.ts'
import { tables } from './tables.ts'

/**
 * Bearer tokens and refresh pairs (spec 2.4, 2.5, 3.2, 5.3): the scheme `bearer`, /refresh,
 * /api/me, introspection and revocation.
 */
export const module: Module = {
  name: 'tokens',
  eventCategory: 'token',
  tag: 'Tokens',
  scopes: ['account:read'],
  tables,
  events: () => import('./events.ts'),
  settings: () => import('./settings.ts'),
  reasons: () => import('./reasons.ts'),
  errors: [invalidRequest, unauthorizedClient, unsupportedRequest],
  checks: () => import('./checks.ts'),
  monitoring: () => import('./monitoring.ts'),
  commands: [
    {
      rows: [
        {
          name: 'token inspect',
          summary: 'Shows the parts of a token, and whether the service accepts it now',
        },
      ],
      load: () => import('./commands.ts'),
      settings: ['BASE_URL', 'TOKEN_SECRET', 'TOKEN_SECRET_PREVIOUS', 'TOKEN_PRIVATE_KEY'],
    },
  ],

  services: () => import('./services.ts'),
  authenticators: async () => {
    const { bearerAuthenticator } = await import('./authenticator.ts')
    return (needs, before) => [...before, bearerAuthenticator(needs)]
  },
  routes: () =>
    Promise.all([import('./routes.ts'), import('./admin-routes.ts'), import('./client-routes.ts')]),
  jobs: ({ revocations, rotation }) => [
    { name: 'refresh tokens', purge: rotation.purge },
    { name: 'revocations', purge: revocations.purge },
  ],
}
