import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { mediaTypes } from '../../core/http/media-types.ts'
import { http } from '../../core/lib/node-http.ts'

interface Asked {
  /** The library answers errors as JSON, whatever the request accepts. */
  readonly isForProgram?: boolean
  /** In place of those of the request. */
  readonly url?: string
  readonly body?: unknown
}

/**
 * A request and a response for the library: Fastify has read the body, and answers itself, so that
 * no hook, header or line of the log is missing.
 */
export function exchangeOf(
  request: FastifyRequest,
  baseUrl: string,
  { body = request.body, isForProgram, url = request.url }: Asked = {},
) {
  const { headers, raw } = request
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const form = method === 'POST' ? new URLSearchParams(fieldsOf(body)).toString() : ''
  const { 'transfer-encoding': _, 'content-length': __, 'content-type': ___, ...others } = headers
  const own = {
    ...others,
    host: new URL(baseUrl).host,
    ...(isForProgram && { accept: mediaTypes.json }),
    ...(method === 'POST' && {
      'content-type': mediaTypes.form,
      'content-length': String(Buffer.byteLength(form)),
    }),
  }
  const more = { method, url, headers: own, httpVersion: raw.httpVersion, socket: raw.socket }
  const incoming = Object.assign(Readable.from(form === '' ? [] : [Buffer.from(form)]), more)
  // Of a request, a response reads the method alone.
  const response = new http.ServerResponse(incoming as unknown as IncomingMessage)
  return { incoming, response }
}

/** Copies status and headers; a cookie that is already set stays. */
export function copyHead(response: ServerResponse, reply: FastifyReply): void {
  reply.status(response.statusCode)
  for (const [name, value] of Object.entries(response.getHeaders())) {
    if (value === undefined || ignored.has(name)) continue
    if (name === 'set-cookie') {
      for (const cookie of [value].flat()) reply.header(name, String(cookie))
    } else reply.header(name, value)
  }
}

// Ours differ, or are Fastify's.
const ignored = new Set(['content-length', 'content-security-policy', 'transfer-encoding'])

function fieldsOf(body: unknown): Record<string, string> {
  return typeof body === 'object' && body !== null ? (body as Record<string, string>) : {}
}
