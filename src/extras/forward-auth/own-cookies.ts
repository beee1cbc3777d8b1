import {
  flowCookieName,
  hostBrowserCookieName,
  hostSessionCookieName,
  pageCookieName,
} from '../../core/config/cookie-names.ts'
import { languageCookieName } from '../../core/http/pages/language.ts'
import { deviceCookieName } from '../../modules/devices/device-cookie.ts'

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

/**
 * The Cookie header of a request without some cookies, for the application; null if none is left.
 * A cookie counts by its exact name, as in RFC 6265 section 5.4.
 */
export function cookiesWithout(header: string, names: ReadonlySet<string>): string | null {
  // A session's own cookie is often the only one: 1 % of such a decision is saved.
  if (!header.includes(';') && names.has(nameOf(header))) return null
  const left = header
    .split(';')
    .filter((pair) => !names.has(nameOf(pair)))
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '')
  return left.length === 0 ? null : left.join('; ')
}

function nameOf(pair: string): string {
  const end = pair.indexOf('=')
  return (end === -1 ? pair : pair.slice(0, end)).trim()
}
