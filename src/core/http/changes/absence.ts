import type { FastifyRequest } from 'fastify'
import type { RefusalReason } from '../../errors.ts'

/** Why a credential was ignored. */
const noted = new WeakMap<FastifyRequest, RefusalReason>()

/** The reason of the 401 if no other scheme succeeds. */
export function noteAbsence(request: FastifyRequest, reason: RefusalReason): void {
  noted.set(request, reason)
}

export function absenceOf(
  request: FastifyRequest,
  accepted: readonly { readonly scheme: string }[],
): RefusalReason {
  const reason = noted.get(request)
  if (reason) return reason
  const [sent = ''] = request.headers.authorization?.split(' ', 1) ?? []
  // Only known schemes: a credential sent without a scheme must not be logged.
  const known = [...otherSchemes, ...request.server.authenticators.map(({ header }) => header)]
  const sent_scheme = known.find((name) => name === sent.toLowerCase()) ?? null
  return {
    code: 'no_credential',
    facts: { accepted: accepted.map(({ scheme }) => scheme), sent_scheme },
  }
}

/** Schemes that programs send without support here. */
const otherSchemes = ['digest', 'dpop', 'negotiate']
