import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Needs } from '../../core/module/services.ts'
import type { FlowData, FlowStart } from '../../modules/flows/flows.ts'
import { browserOf } from '../../modules/flows/requests.ts'
import type { Confirmation } from './confirmations.ts'
import type { ConfirmationPurpose } from './purposes.ts'

export type TokenArrivalDeps = Pick<Needs, 'clock' | 'confirmations' | 'pageFlows' | 'random'>

export interface TokenArrival<Data extends FlowData> {
  /** The page of the link, without a query. */
  readonly path: string
  readonly purposes: readonly ConfirmationPurpose[]
  /**
   * The flow that begins; it ends with the link at the latest. Its data keep the confirmation: what
   * uses it up judges it again.
   */
  begin(
    confirmation: Confirmation,
  ): Omit<FlowStart<Data>, 'seconds'> | Promise<Omit<FlowStart<Data>, 'seconds'>>
}

/** Whether a request for a page comes from the link of a mail: `GET /reset?token=...`. */
export function hasToken(request: FastifyRequest): boolean {
  return tokenOf(request) !== undefined
}

/**
 * Answers the link of a mail: 303 to the same page without the token, so that it stands in no
 * history and no Referer, with a flow of this browser in its place. It uses nothing up, because
 * programs open the links of mails too. A link that counts no more leads to `?link=invalid`.
 */
export async function arriveByToken<Data extends FlowData>(
  { clock, confirmations, pageFlows, random }: TokenArrivalDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { path, purposes, begin }: TokenArrival<Data>,
): Promise<FastifyReply> {
  const token = tokenOf(request)
  const confirmation = typeof token === 'string' ? await confirmations.open(token, purposes) : null
  if (!confirmation) return reply.redirect(`${path}?link=invalid`, 303)
  const seconds = Math.ceil((confirmation.expiresAt - clock.now()) / 1000)
  const start = { ...(await begin(confirmation)), seconds }
  const flow = pageFlows.open(start, browserOf(request, reply, random))
  return reply.redirect(`${path}?flow=${flow.id}`, 303)
}

/** Whether the page is to say that a link counts no more: see `arriveByToken`. */
export function cameByInvalidLink(request: FastifyRequest): boolean {
  return (request.query as { link?: unknown }).link === 'invalid' // parsed by Fastify
}

/** An array if it is named twice. */
function tokenOf(request: FastifyRequest): unknown {
  return (request.query as { token?: unknown }).token // parsed by Fastify
}
