import type { Module } from '../../core/module/module.ts'
import { identityNotFound, linkedToAnother, providerFailed } from './problems.ts'

export const module: Module = {
  name: 'federation',
  tag: 'Identity providers',
  tables: [
    {
      name: 'identities',
      key: ['id'],
      givesIds: true,
      person: { column: 'user_id', onDelete: 'delete' },
    },
  ],
  methods: [{ name: 'provider', amr: ['fed'] }],
  events: () => import('./events.ts'),
  reasons: () => import('./reasons.ts'),
  errors: [identityNotFound, linkedToAnother, providerFailed],
  settings: [
    'OIDC_ISSUER',
    'OIDC_CLIENT_ID',
    'OIDC_CLIENT_SECRET',
    'OIDC_CLIENT_AUTH',
    'OIDC_SCOPE',
    'OIDC_REDIRECT_URI',
    'OIDC_SIGN_UP',
    'OIDC_DEFAULT_ROLES',
    'OIDC_AUDIENCE',
    'OIDC_ROLES_CLAIM',
    'OIDC_ROLES_ALLOWED',
    'OIDC_AUTHORIZATION_ENDPOINT',
    'OIDC_TOKEN_ENDPOINT',
    'OIDC_USERINFO_ENDPOINT',
    'OIDC_JWKS_URI',
    'OIDC_PASSWORD_GRANT',
    'OIDC_PROVIDERS',
  ],
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
  /** A provider's token comes where one of ours may. */
  authenticators:
    async () =>
    ({ externalBearer }, before) =>
      before.map((own) => (own.scheme === 'bearer' ? externalBearer.beside(own) : own)),
  routes: async () => {
    const [
      { ownAccountPrefixes },
      { identityAdminRoutes },
      { identityRoutes },
      { externalRoutes },
    ] = await Promise.all([
      import('../../core/policy/groups.ts'),
      import('./admin-routes.ts'),
      import('./own-routes.ts'),
      import('./routes.ts'),
    ])
    return async (app, needs) => {
      for (const prefix of ownAccountPrefixes) {
        await app.register(identityRoutes, { prefix, ...needs })
      }
      await app.register(identityAdminRoutes, needs)
      await app.register(externalRoutes, needs)
    }
  },
}
