import { fileBeside, type Room } from '../../core/module/room.ts'
import type { Needs } from './parts.ts'

export const room: Room<Needs> = {
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
  events: fileBeside(import.meta.url, './events'),
  errors: ['signInFailed', 'identityNotFound', 'identityLinked', 'identityProvider'],
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
      file: fileBeside(import.meta.url, './commands'),
    },
  ],
  personalData: async () => (await import('./personal-data.ts')).sections,
  parts: () => import('./parts.ts'),
}
