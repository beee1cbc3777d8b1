import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ApiError } from '../../core/errors.ts'
import { errorNameOf } from '../../core/http/declared-error.ts'
import { clientAddress } from '../../core/http/limits/client-address.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { Refusals } from './refusals.ts'

/** Reads no header or body. */
export function keepReasons(
  { refusalListeners }: Pick<FastifyInstance, 'refusalListeners'>,
  { clock, refusals }: { readonly clock: Clock; readonly refusals: Pick<Refusals, 'note'> },
): void {
  refusalListeners.push((request: FastifyRequest, { reason, row, status }: ApiError) => {
    const { principal } = request
    const facts = reason.facts ?? {}
    refusals.note({
      id: request.id,
      at: clock.now(),
      status,
      error: errorNameOf(row),
      method: request.method,
      route: request.is404 ? null : (request.routeOptions.url ?? null),
      code: reason.code,
      facts,
      scheme: principal?.credential.scheme ?? null,
      subject:
        'user_id' in facts && facts.user_id !== null
          ? String(facts.user_id)
          : (principal?.subject ?? null),
      address: request.namedAddress ?? clientAddress(request),
    })
  })
}
