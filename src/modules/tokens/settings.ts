import { integer, oneOf, optional, text, type Values } from '../../core/config/kinds.ts'
import type { Group, Reading } from '../../core/config/load.ts'
import { baseUrlOf } from '../../core/config/settings.ts'

export const settings = {
  TOKEN_ISSUER: optional({
    shown: '`BASE_URL`',
    doc: 'The `iss` of tokens.',
    parse: (value) => value,
  }),
  TOKEN_AUDIENCE: text({ default: 'api', doc: 'The `aud` of access tokens.' }),
  LOGIN_TOKEN_SECONDS: integer({
    formerly: 'TOKEN_SECONDS',
    default: 3600,
    min: 1,
    doc: 'Life of the access token of login mode `token`. Seconds.',
  }),
  ACCESS_TOKEN_SECONDS: integer({
    default: 900,
    min: 1,
    doc: 'Life of the access token of login mode `pair` and of /refresh. Seconds.',
  }),
  REFRESH_TOKEN_SECONDS: integer({
    default: 604_800,
    min: 1,
    doc: 'Life of the refresh token. Seconds.',
  }),
  REFRESH_ROTATION: oneOf({
    default: 'off',
    values: ['off', 'on'],
    doc: 'Whether a refresh token can be used only once: /refresh answers a new one, and a second use revokes its token family.',
  }),
  REFRESH_ABSOLUTE_SECONDS: integer({
    default: 31_536_000,
    min: 0,
    doc: 'With rotation: no refresh token of a login expires later than this after the login, if the time of the login is known; 0: no limit. Seconds.',
  }),
  REFRESH_GRACE_SECONDS: integer({
    default: 10,
    min: 0,
    doc: 'With rotation: a retry within this time gets the same new token again. Seconds.',
  }),
}

declare module '../../core/config/load.ts' {
  interface SettingValues extends Values<typeof settings> {}
  interface TokenConfig extends Group<typeof configure, 'token'> {}
}

export function configure({ values }: Reading) {
  const baseUrl = baseUrlOf(values)
  return {
    config: {
      token: {
        issuer: values.TOKEN_ISSUER ?? baseUrl,
        audience: values.TOKEN_AUDIENCE,
        singleSeconds: values.LOGIN_TOKEN_SECONDS,
        accessSeconds: values.ACCESS_TOKEN_SECONDS,
        refreshSeconds: values.REFRESH_TOKEN_SECONDS,
        rotatesRefresh: values.REFRESH_ROTATION === 'on',
        refreshAbsoluteSeconds: values.REFRESH_ABSOLUTE_SECONDS,
        refreshGraceSeconds: values.REFRESH_GRACE_SECONDS,
      },
    },
    derived: { TOKEN_ISSUER: baseUrl },
  }
}
