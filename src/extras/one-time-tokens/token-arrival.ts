import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Needs } from '../../core/module/services.ts'
import type { FlowData, FlowStart } from '../../modules/flows/flows.ts'
import { browserOf } from '../../modules/flows/requests.ts'
import type { Confirmation } from './confirmations.ts'
import type { ConfirmationPurpose } from './purposes.ts'

export type TokenArrivalDeps = Pick<Needs, 'clock' | 'confirmations' | 'pageFlows' | 'random'>

export interface TokenArrival<Data extends FlowData> {
  readonly path: string
  readonly purposes: readonly ConfirmationPurpose[]
  /** The flow expires with the link at the latest. Using the confirmation checks it again. */
  begin(
    confirmation: Confirmation,
  ): Omit<FlowStart<Data>, 'seconds'> | Promise<Omit<FlowStart<Data>, 'seconds'>>
}

/** `GET /reset?token=...` */
export function hasToken(request: FastifyRequest): boolean {
  return tokenOf(request) !== undefined
}

/**
 * Redirects (303) to the page without the token, to keep it out of history and Referer; a flow
 * replaces it. Uses nothing up, because programs prefetch links. Invalid links redirect to
 * `?link=invalid`.
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

export function cameByInvalidLink(request: FastifyRequest): boolean {
  return (request.query as { link?: unknown }).link === 'invalid'
}

/** An array if repeated. */
function tokenOf(request: FastifyRequest): unknown {
  return (request.query as { token?: unknown }).token
}
