import type { FastifyRequest, RequestPayload } from 'fastify'
import { ApiError } from '../../errors.ts'
import { askForBody } from '../connections/node-requests.ts'
import type { HeldBody } from './body-memory.ts'

type Done = (error: Error | null, body?: Buffer) => void

const firstBytes = 1024
const retryAfterSeconds = 1

/**
 * Reads into one buffer that grows with the received bytes: an announced length allocates nothing.
 * Discards the rest of a rejected body.
 *
 * Errors: ApiError bodyTooLarge, serviceUnavailable, badRequest, or the connection's error.
 */
export function readBody(
  request: FastifyRequest,
  payload: RequestPayload,
  held: HeldBody,
  done: Done,
): void {
  const { bodyLimit } = request.routeOptions
  const announced = Number(request.headers['content-length']) // NaN if chunked
  if (announced > bodyLimit) {
    done(tooLarge(bodyLimit))
    return
  }

  let bytes = Buffer.alloc(0)
  let length = 0
  payload.on('data', onData).on('end', onEnd).on('error', finish).on('close', onClose)
  askForBody(request.raw)

  function onData(piece: Buffer): void {
    const end = length + piece.length
    if (end > bodyLimit) {
      finish(tooLarge(bodyLimit))
    } else if (end > bytes.length && !grow(end)) {
      finish(
        new ApiError('serviceUnavailable', {
          cause: 'bodies hold too much memory',
          reason: { code: 'bodies_hold_memory' },
          retryAfterSeconds,
        }),
      )
    } else {
      piece.copy(bytes, length)
      length = end
    }
  }

  function grow(needed: number): boolean {
    const room = Math.max(needed, firstBytes, 2 * bytes.length)
    const size = Math.min(room, announced >= needed ? announced : bodyLimit)
    if (!held.resize(size)) return false
    const larger = Buffer.allocUnsafeSlow(size)
    bytes.copy(larger, 0, 0, length)
    bytes = larger
    return true
  }

  function onEnd(): void {
    const isComplete = Number.isNaN(announced) || announced === length
    finish(isComplete ? null : new ApiError('badRequest', { reason: { code: 'body_cut' } }))
  }

  function onClose(): void {
    finish(new ApiError('badRequest', { reason: { code: 'client_gone' } }))
  }

  function finish(error: Error | null): void {
    payload.off('data', onData).off('end', onEnd).off('error', finish).off('close', onClose)
    if (error === null) {
      done(null, bytes.subarray(0, length))
      return
    }
    bytes = Buffer.alloc(0)
    payload.on('error', () => {}) // the connection may close before the rest has arrived
    payload.resume()
    done(error)
  }
}

function tooLarge(limit: number): ApiError {
  return new ApiError('bodyTooLarge', {
    reason: { code: 'body_too_large', facts: { limit_bytes: limit } },
  })
}
