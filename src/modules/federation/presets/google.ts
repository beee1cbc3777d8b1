import type { Preset } from './preset.ts'

/**
 * `hd` names the organization of the address. It is no authorization here: anyone with a Google
 * account can sign up where `SIGN_UP` is on. Google knows no `prompt=login`, and states no
 * `auth_time`.
 */
export const google: Preset = {
  label: 'Google',
  kind: 'oidc',
  fixed: { KIND: 'oidc', ISSUER: 'https://accounts.google.com' },
  needs: ['CLIENT_ID', 'CLIENT_SECRET'],
  fresh: null,
}
