import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../../errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { askForBody } from '../connections/node-requests.ts'
import { disableRequestTimeout } from '../connections/parser-errors.ts'
import { mediaTypes } from '../media-types.ts'

/** A client that sends nothing for this time is disconnected. */
const idleMs = 15_000

/** Accepted content types; the format is detected from the content. */
export const longMediaTypes = [mediaTypes.lines, mediaTypes.json, mediaTypes.csv]

/** Accepts only JSON Lines, JSON arrays and CSV. The routes validate records. */
export function acceptLines(app: FastifyInstance): void {
  app.removeContentTypeParser(mediaTypes.json)
  app.addContentTypeParser(longMediaTypes, (request, payload, done) => {
    if (request.routeOptions.config.body !== 'lines') {
      return done(new ApiError('invalidBody', { reason: { code: 'body_of_other_type' } }))
    }
    done(null, payload)
  })
}

/**
 * Stops at `endsAt` (epoch milliseconds). An early end keeps the connection open for the response.
 * @throws ApiError invalidBody without a body, requestTimeout
 */
export async function* longBody(
  request: FastifyRequest,
  clock: Clock,
  endsAt: number,
): AsyncGenerator<Uint8Array> {
  const { body, raw } = request
  if (!(body instanceof Readable)) {
    throw new ApiError('invalidBody', { reason: { code: 'body_empty' } })
  }
  disableRequestTimeout(raw)
  askForBody(raw)
  const pieces = body.iterator({ destroyOnReturn: false })
  for (;;) {
    const leftMs = endsAt - clock.now()
    if (leftMs <= 0) throw tooSlow()
    const piece = await within(Math.min(idleMs, leftMs), clock, pieces.next())
    if (piece.done) return
    yield piece.value
  }
}

async function within<T>(limitMs: number, clock: Clock, coming: Promise<T>): Promise<T> {
  const arrived = new AbortController()
  const tooLate = clock.wait(limitMs, arrived.signal).then(() => {
    if (!arrived.signal.aborted) throw tooSlow()
    return coming
  })
  try {
    return await Promise.race([coming, tooLate])
  } finally {
    arrived.abort()
    tooLate.catch(() => {})
    coming.catch(() => {})
  }
}

function tooSlow(): ApiError {
  return new ApiError('requestTimeout', { reason: { code: 'body_too_slow' } })
}
