import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../core/config/load.ts'
import { digest } from '../../core/crypto/digest.ts'
import type { Random } from '../../core/crypto/random.ts'
import { errorTable } from '../../core/error-table.ts'
import { contentTypes } from '../../core/http/media-types.ts'
import { maxReturnToLength } from '../../modules/flows/return-to.ts'
import { hostBrowserCookie } from './cookies.ts'
import type { ForwardedRequest } from './forwarded.ts'
import { cookiesAtHome, cookiesElsewhere, cookiesWithout } from './own-cookies.ts'
import type { Remote } from './remote-headers.ts'
import type { Site } from './site.ts'

export interface ForwardAnswersDeps {
  readonly config: Pick<Config, 'baseUrl' | 'session'>
  /** Whether a host is that of the service. */
  readonly isHome: (site: Site) => boolean
  readonly random: Random
}

/** The answers to a proxy, in the form in which it passes them on: docs/forward-auth.md. */
export interface ForwardAnswers {
  /**
   * Lets the request pass, with what the application is told of its caller; null if who asks was not
   * looked at. The Cookie header of the answer is for proxies that can pass it on.
   */
  allow(request: FastifyRequest, reply: FastifyReply, site: Site, remote: Remote | null): void
  /**
   * Sends the browser to the sign-in: by a redirect, or for nginx, which takes none, by a 401 whose
   * Location its `error_page` follows.
   */
  signIn(request: FastifyRequest, reply: FastifyReply, asked: ForwardedRequest, why: Why): void
}

interface Why {
  /** Whether the caller is signed in, and only the second factor is missing. */
  readonly isAgain: boolean
  /** Whether the sign-in must have a second factor, so that none is asked for the password twice. */
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
      // nginx copies the challenge, and Basic would make the browser ask for a password itself.
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
    // /signin takes no longer one: it leads to the start of the application.
    const address = whole.length > maxReturnToLength ? `${site.origin}/` : whole
    const query = [
      `return_to=${encodeURIComponent(address)}`,
      ...(isHome(site) ? [] : [`browser=${browserOf(request, reply)}`]),
      ...(isAgain ? ['again=1'] : []),
      ...(needsTwoFactors ? ['two_factor=1'] : []),
    ]
    return `${config.baseUrl}/signin?${query.join('&')}`
  }

  /** Names the browser at this host, by a cookie that it has or gets with the answer. */
  function browserOf(request: FastifyRequest, reply: FastifyReply): string {
    const browser = hostBrowserCookie.valueOf(request, random)
    hostBrowserCookie.set(reply, browser)
    return digest(browser)
  }
}

/** `?proxy=nginx` at the address of the route itself: below it, the query is the application's. */
function isForNginx({ params, query }: FastifyRequest): boolean {
  const isBelow = '*' in (params as object) // set by the router
  return !isBelow && (query as { proxy?: unknown }).proxy === 'nginx' // parsed by Fastify
}
