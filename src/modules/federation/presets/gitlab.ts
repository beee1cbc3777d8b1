import type { Preset } from './preset.ts'

/**
 * `ISSUER` may be a GitLab of one's own, exactly as its `external_url`. There `email_verified` is
 * true for every address if the administrators have turned the confirmation of addresses off.
 */
export const gitlab: Preset = {
  label: 'GitLab',
  kind: 'oidc',
  fixed: { KIND: 'oidc' },
  defaults: { ISSUER: 'https://gitlab.com' },
  needs: [],
}
