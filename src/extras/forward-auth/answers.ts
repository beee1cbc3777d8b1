import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  flowCookieName,
  hostBrowserCookieName,
  hostSessionCookieName,
  pageCookieName,
} from '../../core/config/cookie-names.ts'
import type { Config } from '../../core/config/load.ts'
import { digest } from '../../core/crypto/digest.ts'
import type { Random } from '../../core/crypto/random.ts'
import { errorTable } from '../../core/error-table.ts'
import { contentTypes } from '../../core/http/media-types.ts'
import { languageCookieName } from '../../core/http/pages/language.ts'
import { deviceCookieName } from '../../modules/devices/device-cookie.ts'
import { maxReturnToLength } from '../../modules/flows/return-to.ts'
import { hostBrowserCookie } from './cookies.ts'
import type { ForwardedRequest } from './forwarded.ts'
import type { Remote } from './remote-headers.ts'
import type { Site } from './site.ts'

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

export interface ForwardAnswersDeps {
  readonly config: Pick<Config, 'baseUrl' | 'session'>
  readonly isHome: (site: Site) => boolean
  readonly random: Random
}

/** docs/forward-auth.md */
export interface ForwardAnswers {
  /**
   * Lets the request pass with identity headers; `remote` is null if the caller was not
   * authenticated.
   */
  allow(request: FastifyRequest, reply: FastifyReply, site: Site, remote: Remote | null): void
  /** A redirect, or for nginx a 401 with a Location for its `error_page`. */
  signIn(request: FastifyRequest, reply: FastifyReply, asked: ForwardedRequest, why: Why): void
}

interface Why {
  /** Only the second factor is missing. */
  readonly isAgain: boolean
  /** Avoids a second password prompt. */
  readonly needsTwoFactors: boolean
}

export function createForwardAnswers(deps: ForwardAnswersDeps): ForwardAnswers {
  const { config, isHome, random } = deps
  const atHome = cookiesAtHome(config.session.cookieName)

  return {
    allow(request, reply, site, remote) {
      const { cookie } = request.headers
      if (cookie !== undefined) {
        const others = cookiesWithout(cookie, isHome(site) ? atHome : cookiesElsewhere)
        if (others !== null) reply.header('cookie', others)
      }
      if (remote !== null) {
        reply.header('remote-user', remote.user)
        reply.header('remote-groups', remote.groups)
        if (remote.email !== null) reply.header('remote-email', remote.email)
      }
      reply.header('content-length', 0).send()
    },

    signIn(request, reply, asked, why) {
      reply.header('location', addressOfSignIn(request, reply, asked, why))
      if (!isForNginx(request)) {
        reply.removeHeader('www-authenticate')
        reply.status(302).header('content-length', 0).send()
        return
      }
      // nginx copies the challenge; Basic would open a password prompt.
      reply.header('www-authenticate', 'Bearer realm="API"')
      reply.header('content-type', contentTypes.json)
      const { error, status } = errorTable.authenticationRequired
      reply.status(status).send(JSON.stringify({ error }))
    },
  }

  function addressOfSignIn(
    request: FastifyRequest,
    reply: FastifyReply,
    { site, uri }: ForwardedRequest,
    { isAgain, needsTwoFactors }: Why,
  ): string {
    const whole = site.origin + uri
    // /signin rejects longer addresses.
    const address = whole.length > maxReturnToLength ? `${site.origin}/` : whole
    const query = [
      `return_to=${encodeURIComponent(address)}`,
      ...(isHome(site) ? [] : [`browser=${browserOf(request, reply)}`]),
      ...(isAgain ? ['again=1'] : []),
      ...(needsTwoFactors ? ['two_factor=1'] : []),
    ]
    return `${config.baseUrl}/signin?${query.join('&')}`
  }

  function browserOf(request: FastifyRequest, reply: FastifyReply): string {
    const browser = hostBrowserCookie.valueOf(request, random)
    hostBrowserCookie.set(reply, browser)
    return digest(browser)
  }
}

/** Only at the route itself: below, the query belongs to the application. */
function isForNginx({ params, query }: FastifyRequest): boolean {
  const isBelow = '*' in (params as object) // set by the router
  return !isBelow && (query as { proxy?: unknown }).proxy === 'nginx' // parsed by Fastify
}
