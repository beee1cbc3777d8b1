import {
  flowCookieName,
  hostBrowserCookieName,
  hostSessionCookieName,
  pageCookieName,
} from '../../core/config/cookie-names.ts'
import { languageCookieName } from '../../core/http/pages/language.ts'
import { deviceCookieName } from '../../modules/devices/device-cookie.ts'

/** Hidden from applications. */
export const cookiesElsewhere: ReadonlySet<string> = new Set([
  hostSessionCookieName,
  hostBrowserCookieName,
])

/**
 * An application can also run at the service's host. Elsewhere, applications may use these names.
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

/** By exact name (RFC 6265 section 5.4); null if none is left. */
export function cookiesWithout(header: string, names: ReadonlySet<string>): string | null {
  // Fast path: saves 1 % of a decision.
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
