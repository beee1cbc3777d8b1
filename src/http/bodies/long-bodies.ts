import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Clock } from '../../kernel/clock.ts'
import { ApiError } from '../../kernel/errors.ts'
import { askForBody } from '../connections/node-requests.ts'
import { disableRequestTimeout } from '../connections/parser-errors.ts'

export const lineContentType = 'application/x-ndjson'

/** No byte for so long, and the client counts as gone. */
const idleMs = 15_000

/**
 * Lets the routes of this plugin take lines of JSON of any total length, and nothing else; what a
 * line may be is theirs to say.
 */
export function acceptLines(app: FastifyInstance): void {
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser(lineContentType, (request, payload, done) => {
    if (request.routeOptions.config.body !== 'lines') return done(new ApiError('invalidBody'))
    done(null, payload)
  })
}

/**
 * The body as it comes, as long as something comes, until `endsAt` of the clock at the latest. What
 * stops reading it early leaves the connection open for the answer.
 * @throws ApiError invalidBody where there is none, requestTimeout
 */
export async function* longBody(
  request: FastifyRequest,
  clock: Clock,
  endsAt: number,
): AsyncGenerator<Uint8Array> {
  const { body, raw } = request
  if (!(body instanceof Readable)) throw new ApiError('invalidBody')
  disableRequestTimeout(raw)
  askForBody(raw)
  const pieces = body.iterator({ destroyOnReturn: false })
  for (;;) {
    const leftMs = endsAt - clock.now()
    if (leftMs <= 0) throw new ApiError('requestTimeout')
    const piece = await within(Math.min(idleMs, leftMs), clock, pieces.next())
    if (piece.done) return
    yield piece.value
  }
}

async function within<T>(limitMs: number, clock: Clock, coming: Promise<T>): Promise<T> {
  const arrived = new AbortController()
  const tooLate = clock.wait(limitMs, arrived.signal).then(() => {
    if (!arrived.signal.aborted) throw new ApiError('requestTimeout')
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
