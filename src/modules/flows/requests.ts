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

// Covers the longest flow, except invitations, whose link begins a new flow. The value is no
// account secret.
const cookieSeconds = 7 * 86_400
const cookie = browserCookie(pageCookieName, cookieSeconds)

/** Sets a missing cookie. */
export function browserOf(request: FastifyRequest, reply: FastifyReply, random: Random): Browser {
  const value = cookie.valueOf(request, random)
  cookie.set(reply, value)
  return { cookie: value, address: clientAddress(request) }
}

export function knownBrowser(request: FastifyRequest): Browser | null {
  const value = cookie.read(request)
  return value === undefined ? null : { cookie: value, address: clientAddress(request) }
}

/** Drops the cookie, which ends all flows of the browser. */
export function forgetBrowser(request: FastifyRequest, reply: FastifyReply): void {
  if (cookie.read(request) !== undefined) cookie.clear(reply)
}

/** Null if unknown or ended: a GET then starts over. */
export function flowOf<Data extends FlowData>(
  pageFlows: Pick<PageFlows, 'find'>,
  request: FastifyRequest,
  purpose: PagePurpose,
): Promise<PageFlow<Data> | null> {
  const { flow } = request.query as { flow?: unknown }
  return pageFlows.find<Data>(flow, knownBrowser(request), purpose)
}

/** Restarts an expired flow with its return address; else null. */
export function freshAddress(
  pageFlows: Pick<PageFlows, 'returnToOfExpired'>,
  request: FastifyRequest,
  purpose: PagePurpose,
  path: string,
): string | null {
  const { flow } = request.query as { flow?: unknown }
  const return_to = pageFlows.returnToOfExpired(flow, knownBrowser(request), purpose)
  return return_to === null ? null : `${path}?${new URLSearchParams({ return_to, ended: '1' })}`
}

/** @throws ApiError signInFailed if unknown or ended; csrfTokenInvalid */
export async function flowOfForm<Data extends FlowData>(
  pageFlows: Pick<PageFlows, 'find' | 'assertForm'>,
  request: FastifyRequest,
  purpose: PagePurpose,
): Promise<PageFlow<Data>> {
  const flow = await flowOf<Data>(pageFlows, request, purpose)
  if (!flow) throw flowExpired('page_flow_unknown')
  const { csrf_token } = (request.body ?? {}) as { csrf_token?: unknown }
  pageFlows.assertForm(flow, csrf_token)
  return flow
}
