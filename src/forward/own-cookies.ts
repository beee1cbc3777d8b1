import { flowCookieName } from '../config/oidc-settings.ts'
import {
  hostBrowserCookieName,
  hostSessionCookieName,
  pageCookieName,
} from '../config/people-settings.ts'
import { languageCookieName } from '../http/pages/language.ts'
import { deviceCookieName } from '../mail/device-cookie.ts'

/** The cookies that the service has at the host of an application, which is not told of them. */
export const cookiesElsewhere: ReadonlySet<string> = new Set([
  hostSessionCookieName,
  hostBrowserCookieName,
])

/**
 * The same at the host of the service, where an application can be too. An application elsewhere may
 * have cookies of these names for itself.
 */
export function cookiesAtHome(sessionCookieName: string): ReadonlySet<string> {
  return new Set([
    ...cookiesElsewhere,
    sessionCookieName,
    flowCookieName,
    pageCookieName,
    languageCookieName,
    deviceCookieName,
  ])
}
