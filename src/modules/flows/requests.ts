import type { FastifyReply, FastifyRequest } from 'fastify'
import { pageCookieName } from '../../core/config/cookie-names.ts'
import type { Random } from '../../core/crypto/random.ts'
import { clientAddress } from '../../core/http/limits/client-address.ts'
import { browserCookie } from './cookie.ts'
import {
  type Browser,
  type FlowData,
  flowExpired,
  type PageFlow,
  type PageFlows,
  type PagePurpose,
} from './flows.ts'

// As long as the longest flow, an invitation's aside: its link begins a new one. The value is no
// secret of an account, and a short life would end the flows of a person who is slow.
const cookieSeconds = 7 * 86_400
const cookie = browserCookie(pageCookieName, cookieSeconds)

/** The browser of the request; one without the cookie gets it with the answer. */
export function browserOf(request: FastifyRequest, reply: FastifyReply, random: Random): Browser {
  const value = cookie.valueOf(request, random)
  cookie.set(reply, value)
  return { cookie: value, address: clientAddress(request) }
}

/** The browser of the request if it has the cookie already; null otherwise. */
export function knownBrowser(request: FastifyRequest): Browser | null {
  const value = cookie.read(request)
  return value === undefined ? null : { cookie: value, address: clientAddress(request) }
}

/** Ends all flows of the browser: it loses the cookie, which they are bound to. */
export function forgetBrowser(request: FastifyRequest, reply: FastifyReply): void {
  if (cookie.read(request) !== undefined) cookie.clear(reply)
}

/**
 * Finds the flow that `?flow=` of the request names, of this browser and this purpose; null if it is
 * unknown or has ended: a GET then begins anew.
 */
export function flowOf<Data extends FlowData>(
  pageFlows: Pick<PageFlows, 'find'>,
  request: FastifyRequest,
  purpose: PagePurpose,
): Promise<PageFlow<Data> | null> {
  const { flow } = request.query as { flow?: unknown } // parsed by Fastify
  return pageFlows.find<Data>(flow, knownBrowser(request), purpose)
}

/**
 * The address that starts an expired flow again, with the same return address; null for any other
 * flow.
 */
export function freshAddress(
  pageFlows: Pick<PageFlows, 'returnToOfExpired'>,
  request: FastifyRequest,
  purpose: PagePurpose,
  path: string,
): string | null {
  const { flow } = request.query as { flow?: unknown } // parsed by Fastify
  const return_to = pageFlows.returnToOfExpired(flow, knownBrowser(request), purpose)
  return return_to === null ? null : `${path}?${new URLSearchParams({ return_to, ended: '1' })}`
}

/**
 * Finds the flow of a form, and asserts that one of its pages has sent it.
 * @throws ApiError signInFailed if it is unknown or has ended; csrfTokenInvalid
 */
export async function flowOfForm<Data extends FlowData>(
  pageFlows: Pick<PageFlows, 'find' | 'assertForm'>,
  request: FastifyRequest,
  purpose: PagePurpose,
): Promise<PageFlow<Data>> {
  const flow = await flowOf<Data>(pageFlows, request, purpose)
  if (!flow) throw flowExpired('page_flow_unknown')
  const { csrf_token } = (request.body ?? {}) as { csrf_token?: unknown } // parsed by Fastify
  pageFlows.assertForm(flow, csrf_token)
  return flow
}
