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
 * The body of a route. `optional`: JSON or none. `form`: JSON, a form or none (needs
 * `acceptForms`). `any`: like `form`, but unusable bodies count as absent. `parameters`: only a
 * form without repeated fields (RFC 6749 section 3.2). `lines`: JSON Lines, a JSON array or CSV of
 * any length (long-bodies.ts).
 */
export type BodyKind = 'none' | 'json' | 'optional' | 'form' | 'any' | 'parameters' | 'lines'

export const fewFieldsBytes = 16_384
const maxFormFields = 100

// All bodies together; workers divide the limit. One maximum body always fits.
const maxAnonymousBytes = 4_194_304
const maxBytes = 33_554_432

declare module 'fastify' {
  interface FastifyRequest {
    /** Null if no body is read. */
    heldBody: HeldBody | null
  }
}

export interface BodiesOptions {
  readonly config: Pick<Config, 'http'>
  readonly workers: Pick<Workers, 'share'>
}

/** Only JSON, except in login/ and token/: a cross-site HTML form cannot send JSON. */
export const bodies = plugin<BodiesOptions>(async (app, { config, workers }) => {
  const { bodyLimitBytes } = config.http
  const memory = bodyMemory({
    maxAnonymousBytes: Math.max(workers.share(maxAnonymousBytes), bodyLimitBytes),
    maxBytes: Math.max(workers.share(maxBytes), bodyLimitBytes),
  })
  const parseJson = app.getDefaultJsonParser('remove', 'remove') // strips __proto__ and constructor.prototype
  app.decorateRequest('heldBody', null)
  app.addHook('onRoute', (route) => {
    const { body = 'none' } = route.config ?? {}
    if (body === 'none' || body === 'lines') return
    const otherwise = takesForms(body) ? fewFieldsBytes : bodyLimitBytes
    const limit = Math.min(route.config?.maxBodyBytes ?? otherwise, bodyLimitBytes)
    route.config = { ...route.config, maxBodyBytes: limit }
    route.bodyLimit = limit
    const open: preParsingHookHandler = (request, reply, payload, done) => {
      // `dropIgnoredBody` deletes the type of an ignored body.
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

/** No parser reads the body, and Node discards it. */
export function dropIgnoredBody(request: FastifyRequest): void {
  const { headers } = request.raw
  const type = headers['content-type']
  if (type !== undefined && ignoresBody(request, type)) delete headers['content-type']
}

/**
 * The last value of a repeated field counts, except for `parameters`. A missing body is an empty
 * form.
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

/** Sets a missing body to an empty object before validation. */
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

export function refusesBodies(body: BodyKind = 'none'): boolean {
  return body !== 'none' && body !== 'any'
}

type BodyDone = (error: Error | null, body?: unknown) => void

/** Drops errors, and bodies that are no object. */
function objectOrNone(done: BodyDone): BodyDone {
  return (error, body) => {
    const isObject = error === null && typeof body === 'object' && !Array.isArray(body)
    done(null, isObject ? (body ?? undefined) : undefined)
  }
}

type TextDone = (error: Error | null, text: string) => void

/** Calls back with an ApiError invalidBody, or the errors of `readBody`. */
function readText(request: FastifyRequest, payload: RequestPayload, done: TextDone): void {
  const { heldBody } = request
  if (heldBody === null) throw new Error('the body is read before its memory is asked for')
  readBody(request, payload, heldBody, (error, bytes) => {
    const text = bytes && decodeUtf8(bytes)
    if (text === undefined) done(error ?? invalid('body_not_utf8'), '')
    else done(null, text)
  })
}

/** Undefined for too many fields, invalid UTF-8 or a forbidden repeated field. */
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
 * URLSearchParams garbles non-ASCII characters next to bare percent signs. Undefined for invalid
 * UTF-8.
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

/** Undefined for invalid UTF-8: replacement characters would merge different texts. */
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

/** The value of a form field; empty if absent or not a text. */
export function textIn(body: unknown, name: string): string {
  const fields = (body ?? {}) as Readonly<Record<string, unknown>> // parsed by Fastify
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined
  return typeof value === 'string' ? value : ''
}
