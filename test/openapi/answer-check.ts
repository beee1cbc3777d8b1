import {
  type ApiDocument,
  documentedBy,
  type HeaderObject,
  type MediaTypeObject,
  type ResponseObject,
} from './operations.ts'
import { bodyCheck, type Check, headerCheck, resolved, type Schema } from './schemas.ts'

/** An answer of the service, as it was sent. */
export interface SentAnswer {
  readonly method: string
  /** The path of the route as the document has it; undefined: of no route. */
  readonly path: string | undefined
  /** Whether the document leaves the route out. */
  readonly isHidden: boolean
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  /** Null if it is too long to be kept. */
  readonly body: string | null
  /** Whether a body can follow: not after HEAD. */
  readonly hasBody: boolean
}

interface CompiledResponse {
  /** Checks by media type; null: a text of any kind. */
  readonly content: ReadonlyMap<string, Check | null>
  /** The texts of errors; empty if the document has no example of one. */
  readonly errors: ReadonlySet<string>
  readonly headers: ReadonlyMap<string, { readonly isRequired: boolean; readonly check: Check }>
}

/** Headers that a client acts on: where one is sent, the document must have it. */
const telling = [
  'etag',
  'location',
  'retry-after',
  'set-cookie',
  'www-authenticate',
  'x-total-count',
]
const maxLines = 100
const maxRemembered = 5_000
const maxRememberedLength = 400

const compiledFor = new WeakMap<ApiDocument, Map<string, CompiledResponse | string>>()
/** Answers without a mistake that come by the thousand: they are the same each time. */
const rightOf = new WeakMap<ApiDocument, Set<string>>()

/**
 * What an answer has against the document of its app, each with the operation and the status. Asks
 * for the document if the answer can have a mistake.
 */
export function mistakesOf(answer: SentAnswer, documentOf: () => ApiDocument): string[] {
  const { method, path = 'of no route', status } = answer
  return found(answer, documentOf).map((mistake) => `${method} ${path} ${status}: ${mistake}`)
}

function found(answer: SentAnswer, documentOf: () => ApiDocument): string[] {
  const { method, path, status, isHidden, hasBody, body } = answer
  if (path === undefined || isHidden) return status < 400 ? [] : foundOutside(answer, documentOf)
  const document = documentOf()
  const compiled = compiledOf(document, { method, path, status })
  if (typeof compiled === 'string') return [compiled]
  const inHeaders = foundInHeaders(answer, compiled)
  if (!hasBody || body === null) return inHeaders
  return [...inHeaders, ...foundInBody(answer, body, compiled, document)]
}

/**
 * A refusal that belongs to no operation is an error as of all operations; the form of a page may be
 * refused for its fields as well.
 */
function foundOutside(
  { headers, body, isHidden, status }: SentAnswer,
  documentOf: () => ApiDocument,
): string[] {
  if (!isJson(mediaTypeOf(headers)) || body === null || body === '') return []
  const isOfForm = isHidden && status === 400 && body.includes('"details"')
  const error = { $ref: `#/components/schemas/${isOfForm ? 'ValidationError' : 'Error'}` }
  return bodyCheck(error, documentOf())(JSON.parse(body)).map((mistake) => `body ${mistake}`)
}

function foundInHeaders({ headers }: SentAnswer, compiled: CompiledResponse): string[] {
  const missing = [...compiled.headers]
    .filter(([name, { isRequired }]) => isRequired && headers[name] === undefined)
    .map(([name]) => `header ${name} is missing`)
  const undocumented = telling
    .filter((name) => headers[name] !== undefined && !compiled.headers.has(name))
    .map((name) => `header ${name} is not documented`)
  const wrong = [...compiled.headers].flatMap(([name, { check }]) => {
    const values = [headers[name] ?? []].flat().map(String)
    return values.flatMap(check).map((mistake) => `header ${name} ${mistake}`)
  })
  return [...missing, ...undocumented, ...new Set(wrong)]
}

function foundInBody(
  { method, path, status, headers }: SentAnswer,
  body: string,
  { content, errors }: CompiledResponse,
  document: ApiDocument,
): string[] {
  if (content.size === 0) return body === '' ? [] : ['a body is not documented']
  // Lines may be none.
  if (body === '') return content.has('application/x-ndjson') ? [] : ['there is no body']
  const mediaType = mediaTypeOf(headers)
  const check = content.get(mediaType)
  if (check === undefined) return [`media type ${mediaType || '(none)'} is not documented`]
  if (check === null) return []
  const key = body.length > maxRememberedLength ? '' : `${method} ${path} ${status} ${body}`
  const right = rightOf.getOrInsertComputed(document, () => new Set())
  if (right.has(key)) return []
  const values = (mediaType.endsWith('ndjson') ? linesOf(body) : [body]).map((text) =>
    JSON.parse(text),
  )
  const wrong = [...new Set(values.flatMap(check))].map((mistake) => `body ${mistake}`)
  const text = status < 400 ? undefined : values[0]?.error
  if (text !== undefined && errors.size > 0 && !errors.has(text)) {
    wrong.push(`the error "${text}" is not documented`)
  }
  if (wrong.length === 0 && key !== '' && right.size < maxRemembered) right.add(key)
  return wrong
}

function linesOf(body: string): string[] {
  return body.split('\n', maxLines).filter((line) => line !== '')
}

interface Place {
  readonly method: string
  readonly path: string
  readonly status: number
}

/** The documented answer of an operation by its status; a text: what the document lacks. */
function compiledOf(document: ApiDocument, { method, path, status }: Place) {
  const all = compiledFor.getOrInsertComputed(document, () => new Map())
  return all.getOrInsertComputed(`${method} ${path} ${status}`, () => {
    const operation = document.paths[path]?.[method.toLowerCase()]
    if (!operation) return 'the operation is not documented'
    const response = operation.responses[documentedBy(operation, status) ?? '']
    if (!response) return 'the status is not documented'
    // Most errors stand under `components`, for many operations.
    const { $ref } = response
    return $ref === undefined
      ? compile(response, document)
      : all.getOrInsertComputed($ref, () => compile(response, document))
  })
}

function compile(given: ResponseObject, document: ApiDocument): CompiledResponse {
  const { content = {}, headers = {} } = named<ResponseObject>(given, document)
  return {
    errors: new Set(Object.values(content).flatMap((media) => errorsIn(media, document))),
    content: new Map(
      Object.entries(content).map(([type, { schema }]) => [
        essence(type),
        schema && isJson(essence(type)) ? bodyCheck(schema, document) : null,
      ]),
    ),
    headers: new Map(
      Object.entries(headers).map(([name, header]) => {
        const { required = false, schema = {} } = named<HeaderObject>(header, document)
        const check = headerCheck(schema, document)
        return [name.toLowerCase(), { isRequired: required, check }]
      }),
    ),
  }
}

function errorsIn({ example, examples = {} }: MediaTypeObject, document: ApiDocument): string[] {
  const values = Object.values(examples).map((one) => named<typeof one>(one, document).value)
  return [example, ...values].flatMap((value) => {
    const { error } = (value ?? {}) as { error?: unknown }
    return typeof error === 'string' ? [error] : []
  })
}

/** A part of the document that may stand under `components` instead. */
function named<T extends object>(part: T, document: ApiDocument): T {
  return '$ref' in part ? (resolved({ $ref: part.$ref } as Schema, document) as T) : part
}

function mediaTypeOf(headers: SentAnswer['headers']): string {
  return essence(String(headers['content-type'] ?? ''))
}

function essence(mediaType: string): string {
  return mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

function isJson(mediaType: string): boolean {
  return /[/+](x-nd)?json$/.test(mediaType)
}
