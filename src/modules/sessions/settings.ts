import {
  flowCookieName,
  hostBrowserCookieName,
  hostSessionCookieName,
  pageCookieName,
} from '../../core/config/cookie-names.ts'
import { integer, text, type Values } from '../../core/config/kinds.ts'
import type { ConfigOf, Reading } from '../../core/config/load.ts'

export const settings = {
  SESSION_COOKIE_NAME: text({
    default: 'JSESSIONID',
    doc: 'Name of the session cookie, for instance `__Host-JSESSIONID`.',
    check: (value) => {
      if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(value)) throw new Error('is not a cookie name')
      if ([flowCookieName, pageCookieName].includes(value))
        throw new Error('is the name of the cookie of a sign-in')
      if ([hostSessionCookieName, hostBrowserCookieName].includes(value))
        throw new Error('is the name of a cookie at the hosts of applications')
    },
  }),
  SESSION_IDLE_SECONDS: integer({
    default: 1800,
    min: 1,
    doc: 'A session ends this long after its last request. Seconds.',
  }),
  SESSION_ABSOLUTE_SECONDS: integer({
    default: 43_200,
    min: 0,
    doc: 'A session ends this long after its login, even if it is in use; 0: never. Seconds.',
  }),
  KEEP_SIGNED_IN_DAYS: integer({
    default: 30,
    min: 0,
    doc: 'A session that began with "Keep me signed in" on the sign-in page ends this long after its login, whether in use or not; never for roles of REQUIRE_SECOND_FACTOR. 0: the page does not offer it. Days.',
  }),
  SESSIONS_PER_ACCOUNT: integer({
    default: 100,
    min: 0,
    doc: 'Maximum of sessions of an account; a login beyond it ends the session that has been idle longest. 0: no limit.',
  }),
}

/** Further hosts, by the module that knows them. */
export type OtherHosts = Readonly<Record<string, readonly string[]>>
const otherHosts: OtherHosts = {}

declare module '../../core/config/load.ts' {
  interface SettingValues extends Values<typeof settings> {}
  interface Config extends ConfigOf<typeof configure> {}
}

export function configure({ values }: Reading) {
  return {
    config: {
      otherHosts,
      session: {
        cookieName: values.SESSION_COOKIE_NAME,
        idleSeconds: values.SESSION_IDLE_SECONDS,
        absoluteSeconds: values.SESSION_ABSOLUTE_SECONDS,
        keptDays: values.KEEP_SIGNED_IN_DAYS,
        maxPerAccount: values.SESSIONS_PER_ACCOUNT,
      },
    },
  }
}
