import type {
  FastifyInstance,
  FastifyRequest,
  preParsingHookHandler,
  preValidationHookHandler,
  RequestPayload,
} from 'fastify'
import plugin from 'fastify-plugin'
import type { Config } from '../../config/load.ts'
import { ApiError } from '../../errors.ts'
import type { Workers } from '../../workers/workers.ts'
import { mediaTypes } from '../media-types.ts'
import { bodyMemory, type HeldBody } from './body-memory.ts'
import { readBody } from './body-reader.ts'

/**
 * Which body a route accepts. `none`: it ignores a body. `json`: JSON is required. `optional`: JSON
 * or no body. `form`: JSON, a form or no body, of a few fields (in modules that register
 * `acceptForms`). `any`: the same, and a body that is no object, cannot be read, is too large or has
 * another content type counts as no body. `parameters`: a form alone, in which no field is repeated
 * (RFC 6749 section 3.2; same modules). `lines`: JSON Lines, an array of JSON or CSV of any total
 * length (in modules that register `acceptLines`, see long-bodies.ts).
 */
export type BodyKind = 'none' | 'json' | 'optional' | 'form' | 'any' | 'parameters' | 'lines'

/** The `maxBodyBytes` of routes that take a few fields, and of every form. */
export const fewFieldsBytes = 16_384
const maxFormFields = 100

// The memory of all bodies together; workers divide it. A single body of the general limit always
// fits.
const maxAnonymousBytes = 4_194_304
const maxBytes = 33_554_432

declare module 'fastify' {
  interface FastifyRequest {
    /** The memory that its body holds; null if no body is to be read. */
    heldBody: HeldBody | null
  }
}

export interface BodiesOptions {
  readonly config: Pick<Config, 'http'>
  readonly workers: Pick<Workers, 'share'>
}

/**
 * Parses bodies. Outside of login/ and token/, JSON is the only content type, so that a cross-site
 * HTML form, which cannot send JSON, is refused there without a check of its own.
 */
export const bodies = plugin<BodiesOptions>(async (app, { config, workers }) => {
  const { bodyLimitBytes } = config.http
  const memory = bodyMemory({
    maxAnonymousBytes: Math.max(workers.share(maxAnonymousBytes), bodyLimitBytes),
    maxBytes: Math.max(workers.share(maxBytes), bodyLimitBytes),
  })
  const parseJson = app.getDefaultJsonParser('remove', 'remove') // of __proto__ and constructor.prototype
  app.decorateRequest('heldBody', null)
  app.addHook('onRoute', (route) => {
    const { body = 'none', maxBodyBytes = bodyLimitBytes } = route.config ?? {}
    if (body === 'none' || body === 'lines') return
    const limit = Math.min(maxBodyBytes, takesForms(body) ? fewFieldsBytes : bodyLimitBytes)
    route.config = { ...route.config, maxBodyBytes: limit }
    route.bodyLimit = limit
    const open: preParsingHookHandler = (request, reply, payload, done) => {
      // `dropIgnoredBody` has deleted the type of a body that is not read.
      const isRead = request.headers['content-type'] !== undefined
      if (isRead) request.heldBody = memory.open(request, reply)
      done(null, payload)
    }
    route.preParsing = [open, ...[route.preParsing ?? []].flat()]
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(mediaTypes.json, (request, payload, done) => {
    const { body } = request.routeOptions.config
    if (body === 'parameters') return done(otherType())
    const finish = body === 'any' ? objectOrNone(done) : done
    readText(request, payload, (error, text) => {
      if (error) return finish(error)
      if (text === '' && body === 'optional') return finish(null, undefined)
      parseJson(request, text, finish)
    })
  })
  app.addContentTypeParser('*', (request, _payload, done) => {
    if (ignoresBody(request)) return done(null, undefined)
    done(otherType())
  })
})

/** Deletes the type of a body that the route ignores: no parser reads it, and Node discards it. */
export function dropIgnoredBody(request: FastifyRequest): void {
  const { headers } = request.raw
  const type = headers['content-type']
  if (type !== undefined && ignoresBody(request, type)) delete headers['content-type']
}

/**
 * Lets the routes of this plugin take `application/x-www-form-urlencoded`. Of a repeated field the
 * last value counts, except for `parameters`; a request without a body is an empty form.
 */
export function acceptForms(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (!takesForms(route.config?.body)) return
    route.preValidation = [noneIsEmpty, ...[route.preValidation ?? []].flat()]
  })
  app.addContentTypeParser(mediaTypes.form, (request, payload, done) => {
    const { body } = request.routeOptions.config
    if (!takesForms(body)) return done(otherType())
    const finish = body === 'any' ? objectOrNone(done) : done
    readText(request, payload, (error, text) => {
      if (error) return finish(error)
      const form = parseForm(text, { mayRepeat: body !== 'parameters' })
      finish(form ? null : invalid('form_malformed'), form)
    })
  })
}

/** Sets the body to an empty object if there is none; runs before the schema is checked. */
export const noneIsEmpty: preValidationHookHandler = (request, _reply, done) => {
  if (request.body === undefined) request.body = {}
  done()
}

function takesForms(body: BodyKind | undefined): boolean {
  return body === 'form' || body === 'any' || body === 'parameters'
}

const read = /^[ \t]*application\/(json|x-www-form-urlencoded)[ \t]*(;|$)/i

function ignoresBody({ routeOptions }: FastifyRequest, type = ''): boolean {
  const { body = 'none' } = routeOptions.config
  return body === 'none' || (body === 'any' && !read.test(type))
}

/** Whether a route refuses an unreadable body. */
export function refusesBodies(body: BodyKind = 'none'): boolean {
  return body !== 'none' && body !== 'any'
}

type BodyDone = (error: Error | null, body?: unknown) => void

/** Calls back without an error, and without a body that is no object or could not be read. */
function objectOrNone(done: BodyDone): BodyDone {
  return (error, body) => {
    const isObject = error === null && typeof body === 'object' && !Array.isArray(body)
    done(null, isObject ? (body ?? undefined) : undefined)
  }
}

type TextDone = (error: Error | null, text: string) => void

/** Reads the body as UTF-8. Calls back with an ApiError invalidBody, or those of `readBody`. */
function readText(request: FastifyRequest, payload: RequestPayload, done: TextDone): void {
  const { heldBody } = request
  if (heldBody === null) throw new Error('the body is read before its memory is asked for')
  readBody(request, payload, heldBody, (error, bytes) => {
    const text = bytes && decodeUtf8(bytes)
    if (text === undefined) done(error ?? invalid('body_not_utf8'), '')
    else done(null, text)
  })
}

/**
 * Answers undefined if there are too many fields, if a percent-encoded value is not UTF-8, or if a
 * field that may not be is repeated.
 */
function parseForm(
  text: string,
  { mayRepeat }: { readonly mayRepeat: boolean },
): Record<string, string> | undefined {
  const fields = text.split('&').filter((field) => field !== '')
  if (fields.length > maxFormFields) return undefined
  const encoded = wellEncoded(text)
  if (encoded === undefined) return undefined
  const given = new URLSearchParams(encoded)
  if (!mayRepeat && new Set(given.keys()).size < given.size) return undefined
  return Object.fromEntries(given)
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Encodes percent signs that escape nothing, because URLSearchParams garbles other than ASCII
 * characters beside a bare one. Answers undefined if a percent-encoded value is not UTF-8.
 */
function wellEncoded(text: string): string | undefined {
  const encoded = text.replace(/%(?![0-9a-f]{2})/gi, '%25')
  try {
    decodeURIComponent(encoded)
    return encoded
  } catch {
    return undefined
  }
}

/**
 * Answers undefined if the bytes are not UTF-8: replacement characters would merge different texts.
 */
function decodeUtf8(bytes: Buffer): string | undefined {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

function invalid(code: 'body_not_utf8' | 'body_of_other_type' | 'form_malformed'): ApiError {
  return new ApiError('invalidBody', { reason: { code } })
}

function otherType(): ApiError {
  return invalid('body_of_other_type')
}
