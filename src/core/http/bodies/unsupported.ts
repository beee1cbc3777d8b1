import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest, preParsingHookHandler } from 'fastify'
import { ApiError } from '../../errors.ts'
import { mediaTypes } from '../media-types.ts'
import { longMediaTypes } from './long-bodies.ts'

const readTypes: ReadonlySet<string> = new Set([mediaTypes.form, ...longMediaTypes])
const parameter = /;[ \t]*([^\s=;"]+)=("(?:[^"\\]|\\.)*"|[^;]*)/g
const readCharsets = new Set(['utf-8', 'utf8', 'us-ascii'])

/** After `refusal`. @throws ApiError unsupportedMediaType, or the error of `refusal` */
export function refusesUnsupported(
  refusal: (request: FastifyRequest) => ApiError | undefined,
): preParsingHookHandler {
  return (request, reply, payload, done) => {
    const code = unsupportedBody(request.headers)
    if (code === null) return done(null, payload)
    const other = refusal(request)
    if (other) return done(other)
    reply.header('accept-encoding', 'identity') // RFC 9110 section 15.5.16
    done(new ApiError('unsupportedMediaType', { reason: { code } }))
  }
}

/** A content coding, or a charset other than UTF-8; null if supported. */
export function unsupportedBody(
  headers: IncomingHttpHeaders,
): 'body_of_other_coding' | 'body_of_other_charset' | null {
  if (!hasBody(headers)) return null
  if (!listOf(headers['content-encoding']).every((coding) => coding === 'identity')) {
    return 'body_of_other_coding'
  }
  const { 'content-type': type = '' } = headers
  const [essence = ''] = type.split(';')
  if (!readTypes.has(essence.trim().toLowerCase())) return null // rejected by type
  return charsetsOf(type).every((charset) => readCharsets.has(charset))
    ? null
    : 'body_of_other_charset'
}

function hasBody(headers: IncomingHttpHeaders): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = headers
  return coding !== undefined || Number(length) > 0
}

/** RFC 9110 section 5.6.1: empty elements are ignored. */
function listOf(value = ''): string[] {
  return value
    .split(',')
    .map((member) => member.trim().toLowerCase())
    .filter((member) => member !== '')
}

/** All charsets: with two, a proxy and this service could read different ones. */
function charsetsOf(type: string): string[] {
  return [...type.matchAll(parameter)]
    .filter(([, name = '']) => name.toLowerCase() === 'charset')
    .map(([, , value = '']) => unquoted(value.trim()).toLowerCase())
}

function unquoted(value: string): string {
  const isQuoted = value.length > 1 && value.startsWith('"') && value.endsWith('"')
  return isQuoted ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value
}
