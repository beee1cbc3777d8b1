import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../errors.ts'

// With two values, a proxy and this service could read different ones.
const singular = ['host', 'authorization', 'content-type', 'origin'] as const

/**
 * Rejects what Node accepts: HTTP versions other than 1.0 and 1.1, missing or malformed Host,
 * repeated singular fields, chunks in HTTP/1.0, transfer codings other than chunked.
 * @throws ApiError badRequest
 */
export function assertShape({ raw }: FastifyRequest): void {
  if (isMisshapen(raw)) {
    throw new ApiError('badRequest', { reason: { code: 'misshapen_request' } })
  }
}

// RFC 3986 section 3.2.2.
const hostFormat = /^[A-Za-z0-9\-._~%!$&'()*+,;=:[\]]*$/

/** RFC 9112 sections 2.3, 3.2 and 6.1. */
export function isMisshapen({ rawHeaders, headers, httpVersion }: FastifyRequest['raw']): boolean {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return true
  const coding = headers['transfer-encoding']
  if (coding !== undefined && (httpVersion === '1.0' || !/^chunked$/i.test(coding))) return true
  if (headers.host === undefined) return httpVersion !== '1.0'
  if (!hostFormat.test(headers.host)) return true
  for (const name of singular) {
    if (headers[name] !== undefined && isDoubled(rawHeaders, name)) return true
  }
  return false
}

function isDoubled(rawHeaders: readonly string[], name: string): boolean {
  let times = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const sent = rawHeaders[index] ?? ''
    if (sent.length === name.length && sent.toLowerCase() === name) times += 1
  }
  return times > 1
}

/** The router matches `/users/`, which counts as unknown. A wildcard may be empty. */
export function hasEmptyParameter({ params }: FastifyRequest): boolean {
  const given = params as Readonly<Record<string, string>> // set by the router
  for (const name in given) if (given[name] === '' && name !== '*') return true
  return false
}
