import type { FastifyInstance, FastifyRequest } from 'fastify'
import plugin from 'fastify-plugin'
import { ApiError } from '../kernel/errors.ts'

/**
 * What a route does with a body. `none`: ignores it. `json`: wants JSON. `optional`: JSON or nothing
 * at all. `form`: JSON, a form or nothing at all (in rooms that register `acceptForms`). `any`: the same,
 * and ignores any other content type. `lines`: lines of JSON of any total length (in rooms that register `acceptLines`, see long-bodies.ts).
 */
export type BodyKind = 'none' | 'json' | 'optional' | 'form' | 'any' | 'lines'

/**
 * JSON is the only content type outside of login/ and token/: a cross-site HTML form, which can
 * send no JSON, is refused everywhere else for nothing.
 */
export const bodies = plugin(async (app) => {
  const parseJson = app.getDefaultJsonParser('error', 'error') // refuses __proto__ and constructor.prototype
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0 && canBeEmpty(request)) {
      return done(null, undefined)
    }
    const text = decodeUtf8(body)
    if (text === undefined) return done(new ApiError('invalidBody'))
    parseJson(request, text, done)
  })
  app.addContentTypeParser('*', (request, _payload, done) => {
    if (ignoresBody(request)) return done(null, undefined)
    done(new ApiError('invalidBody'))
  })
  app.addHook('onRequest', (request, _reply, done) => {
    // Without a content type no parser reads the body; Node discards it after the answer.
    const { headers } = request.raw
    const type = headers['content-type']
    if (type !== undefined && ignoresBody(request, type)) delete headers['content-type']
    done()
  })
})

/**
 * Lets the routes of this plugin take `application/x-www-form-urlencoded`; the last of a name
 * counts. A request without any body is an empty form.
 */
export function acceptForms(app: FastifyInstance): void {
  app.addHook('preValidation', async (request) => {
    const { body } = request.routeOptions.config
    if (body === 'form' || body === 'any') await noneIsEmpty(request)
  })
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer' },
    (_request, body, done) => {
      const text = wellEncoded(decodeUtf8(body))
      if (text === undefined) return done(new ApiError('invalidBody'))
      done(null, Object.fromEntries(new URLSearchParams(text)))
    },
  )
}

/** Before the schema of a route is asked, for one that goes without a body: none is an empty object. */
export async function noneIsEmpty(request: FastifyRequest): Promise<void> {
  if (request.body === undefined) request.body = {}
}

const read = /^[ \t]*application\/(json|x-www-form-urlencoded)[ \t]*(;|$)/i

function ignoresBody({ routeOptions }: FastifyRequest, type = ''): boolean {
  const { body = 'none' } = routeOptions.config
  return body === 'none' || (body === 'any' && !read.test(type))
}

function canBeEmpty({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.config.body === 'optional' || routeOptions.config.body === 'any'
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Undefined where what is percent-encoded is no UTF-8 either. A percent sign that escapes nothing
 * stands for itself; encoded, because URLSearchParams garbles what is not ASCII beside a bare one.
 */
function wellEncoded(text: string | undefined): string | undefined {
  const encoded = text?.replace(/%(?![0-9a-f]{2})/gi, '%25')
  try {
    decodeURIComponent(encoded ?? '')
    return encoded
  } catch {
    return undefined
  }
}

/** Undefined where the bytes are no UTF-8: replacement characters would merge different texts. */
function decodeUtf8(bytes: Buffer | string): string | undefined {
  if (typeof bytes === 'string') return bytes
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}
