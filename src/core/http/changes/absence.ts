import type { FastifyRequest } from 'fastify'
import type { RefusalReason } from '../../errors.ts'

/** Why requests have no caller: a credential that counts as none says so before it is passed over. */
const noted = new WeakMap<FastifyRequest, RefusalReason>()

/** Notes why a credential counts as none; the reason of the 401, if no other scheme follows. */
export function noteAbsence(request: FastifyRequest, reason: RefusalReason): void {
  noted.set(request, reason)
}

/** Why no accepted scheme has authenticated the request. */
export function absenceOf(
  request: FastifyRequest,
  accepted: readonly { readonly scheme: string }[],
): RefusalReason {
  const reason = noted.get(request)
  if (reason) return reason
  const [sent = ''] = request.headers.authorization?.split(' ', 1) ?? []
  // Of the header only a plain word: a credential that was sent without its scheme is no fact.
  const known = [...otherSchemes, ...request.server.authenticators.map(({ header }) => header)]
  const sent_scheme = known.find((name) => name === sent.toLowerCase()) ?? null
  return {
    code: 'no_credential',
    facts: { accepted: accepted.map(({ scheme }) => scheme), sent_scheme },
  }
}

/** Schemes that programs send although no module authenticates them. */
const otherSchemes = ['digest', 'dpop', 'negotiate']
