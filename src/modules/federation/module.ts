import type { Module } from '../../core/module/module.ts'
import { identityNotFound, linkedToAnother, providerFailed } from './problems.ts'
import { tables } from './tables.ts'

/** Spec 4.4, 5.4. */
export const module: Module = {
  name: 'federation',
  tag: 'Identity providers',
  tables,
  methods: [{ name: 'provider', amr: ['fed'] }],
  events: () => import('./events.ts'),
  settings: () => import('./settings.ts'),
  reasons: () => import('./reasons.ts'),
  errors: [identityNotFound, linkedToAnother, providerFailed],
  checks: () => import('./checks.ts'),
  commands: [
    {
      rows: [
        { name: 'oidc discover', summary: 'Asks an identity provider for its endpoints' },
        {
          name: 'oidc token',
          summary: 'Gets a token by client credentials, by a password or by a refresh token',
        },
        {
          name: 'oidc login',
          summary: 'Signs in with a browser, which comes back to a port of this machine',
        },
      ],
      load: () => import('./commands.ts'),
    },
  ],
  services: () => import('./services.ts'),
  authenticators:
    async () =>
    ({ externalBearer }, before) =>
      before.map((own) => (own.scheme === 'bearer' ? externalBearer.beside(own) : own)),
  routes: () =>
    Promise.all([
      import('./own-routes.ts'),
      import('./admin-routes.ts'),
      import('./routes.ts'),
      import('./form-post-routes.ts'),
    ]),
}
