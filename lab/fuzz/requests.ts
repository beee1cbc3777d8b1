import fc from 'fast-check'
import {
  type Change,
  callers,
  type Described,
  type DescribedBody,
  schemes,
  slot,
  type Value,
} from './described.ts'
import { contentTypes, hostileBodies, hostileHeaders, hostileJson, hostileText } from './hostile.ts'
import type { Body, FuzzedOperation, Parameter } from './operations.ts'
import { valuesOf } from './schema-values.ts'
import { brokenTwists, wholeTwists } from './twists.ts'

/** Bodies of a foreign corpus, base64. */
export type Corpus = readonly string[]

/**
 * Requests to the operations of a document: most as documented, others with one or more faults.
 * Shrinking makes a request simpler.
 */
export function requestsTo(
  operations: readonly FuzzedOperation[],
  corpus: Corpus = [],
): fc.Arbitrary<Described> {
  const all = operations.map((operation) => requestOf(operation, corpus))
  return fc.oneof(...all)
}

const caller = fc.oneof(
  { withCrossShrink: true },
  { weight: 1, arbitrary: fc.constantFrom(...callers) },
  { weight: 1, arbitrary: fc.constant('ADMIN' as const) },
)

/** Most come from an address of their own, some from one that comes too often. */
const from = fc.oneof(
  { weight: 19, arbitrary: fc.nat({ max: 65_535 }) },
  { weight: 1, arbitrary: fc.constant(7) },
)

function requestOf(operation: FuzzedOperation, corpus: Corpus): fc.Arbitrary<Described> {
  const { name, method, path, parameters } = operation
  const base = { operation: name, path, caller, scheme: fc.constantFrom(...schemes) }
  const fixed = fc.record({ isInjected: fc.boolean(), from })
  const right = fc.record({
    params: paramsOf(parameters),
    query: queryOf(parameters),
    headers: headersOf(parameters),
    body: bodyOf(operation),
  })
  const valid = fc.tuple(right, caller, base.scheme, fixed).map(
    ([parts, who, scheme, rest]): Described => ({
      ...parts,
      ...rest,
      operation: name,
      method,
      path,
      caller: who,
      scheme,
      changes: [],
      isEncoded: true,
      twist: 'plain',
    }),
  )
  const hostile = fc.tuple(valid, wrongsOf(operation, corpus)).map(
    ([request, { body, params, query, headers, ...wrong }]): Described => ({
      ...request,
      ...wrong,
      params: { ...request.params, ...params },
      query: [...request.query, ...query],
      headers: [...request.headers, ...headers],
      body: body ?? request.body,
    }),
  )
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 6, arbitrary: valid },
    { weight: 4, arbitrary: hostile },
  )
}

function paramsOf(parameters: readonly Parameter[]): fc.Arbitrary<Record<string, Value>> {
  const ofPath = parameters.filter((one) => one.in === 'path')
  return fc.record(
    Object.fromEntries(
      ofPath.map(({ name, schema }) => [
        name,
        fc.oneof(
          { weight: 8, arbitrary: fc.nat({ max: 999 }).map((at): Value => slot('param', at)) },
          { weight: 1, arbitrary: valuesOf(schema, name) },
        ),
      ]),
    ),
  )
}

type Pairs = readonly (readonly [string, Value])[]

function queryOf(parameters: readonly Parameter[]): fc.Arbitrary<Pairs> {
  return pairsOf(parameters.filter((one) => one.in === 'query'))
}

/** The documented headers, but for those that the caller's credentials come with. */
function headersOf(parameters: readonly Parameter[]): fc.Arbitrary<Pairs> {
  const ofHeader = parameters.filter((one) => one.in === 'header' && one.name !== 'X-CSRF-Token')
  const values: Record<string, fc.Arbitrary<Value>> = {
    'If-Match': fc.oneof(
      { weight: 3, arbitrary: fc.nat({ max: 999 }).map((at): Value => slot('etag', at)) },
      { weight: 1, arbitrary: fc.constant<Value>('*') },
    ),
    'Idempotency-Key': fc.nat({ max: 30 }).map((at): Value => `key-${at}`),
  }
  return pairsOf(ofHeader, values)
}

function pairsOf(
  parameters: readonly Parameter[],
  values: Readonly<Record<string, fc.Arbitrary<Value>>> = {},
): fc.Arbitrary<Pairs> {
  const each = parameters.map(({ name, schema, required }) => {
    const pair = (values[name] ?? valuesOf(schema, name)).map((value) => [[name, value] as const])
    return required ? pair : fc.oneof(fc.constant<Pairs>([]), pair)
  })
  return fc.tuple(...each).map((found) => found.flat())
}

function bodyOf({ bodies, path }: FuzzedOperation): fc.Arbitrary<DescribedBody | null> {
  if (bodies.length === 0) return fc.constant(null)
  return fc.oneof(...bodies.map((body) => ofMediaType(body, path)))
}

function ofMediaType({ mediaType, schema, examples }: Body, path: string) {
  const values = valuesOf(schema, '', path)
  const any =
    examples.length === 0
      ? values
      : fc.oneof({ weight: 12, arbitrary: values }, fc.constantFrom(...examples))
  const isLines = mediaType.endsWith('ndjson')
  return (isLines ? fc.array(any, { maxLength: 4 }) : any).map(
    (value): DescribedBody => ({ mediaType, value }),
  )
}

interface Wrong {
  readonly method: string
  readonly params: Record<string, Value>
  readonly isEncoded: boolean
  readonly query: Pairs
  readonly headers: Pairs
  readonly body: DescribedBody | null
  readonly changes: readonly Change[]
  readonly twist: string
}

/** What is wrong with a request: in most of them little, so that the rest is reached. */
function wrongsOf(operation: FuzzedOperation, corpus: Corpus): fc.Arbitrary<Wrong> {
  const { method, parameters, bodies } = operation
  const names = parameters.filter((one) => one.in === 'path').map(({ name }) => name)
  const queryNames = parameters.filter((one) => one.in === 'query').map(({ name }) => name)
  const queryName = fc.oneof(hostileText, fc.constantFrom('page', 'limit', ...queryNames))
  const nothing: Wrong = {
    method,
    params: {},
    isEncoded: true,
    query: [],
    headers: [],
    body: null,
    changes: [],
    twist: 'plain',
  }
  const change = fc.record<Change>({
    at: fc.nat({ max: 50 }),
    how: fc.constantFrom('replace', 'remove', 'add'),
    name: hostileText,
    to: hostileJson,
  })
  const kinds: fc.Arbitrary<Partial<Wrong>>[] = [
    fc.record({
      headers: fc.array(fc.constantFrom(...hostileHeaders), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({
      headers: fc
        .tuple(fc.constantFrom('User-Agent', 'X-Request-Id', 'X'), hostileText)
        .map((pair) => [pair]),
    }),
    fc.record({
      query: fc.array(fc.tuple(queryName, hostileText), { minLength: 1, maxLength: 4 }),
    }),
    fc.record({ twist: fc.constantFrom(...wholeTwists, ...brokenTwists) }),
    fc.record({
      method: fc.constantFrom('HEAD', 'OPTIONS', 'GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'TRACE'),
    }),
    fc.record({ body: strangeBody(corpus) }),
  ]
  if (bodies.length > 0) {
    kinds.push(fc.record({ changes: fc.array(change, { minLength: 1, maxLength: 3 }) }))
    kinds.push(fc.record({ changes: fc.array(change, { minLength: 1, maxLength: 1 }) }))
  }
  if (names.length > 0) {
    const params = fc.tuple(fc.constantFrom(...names), hostileText)
    const made = params.map(([name, value]) => ({ [name]: value }))
    kinds.push(fc.record({ params: made, isEncoded: fc.boolean() }))
  }
  const one = fc.oneof(...kinds)
  return fc
    .oneof({ weight: 4, arbitrary: fc.tuple(one) }, { weight: 1, arbitrary: fc.tuple(one, one) })
    .map((parts) => Object.assign({}, nothing, ...parts))
}

function strangeBody(corpus: Corpus): fc.Arbitrary<DescribedBody> {
  const mediaType = fc.oneof(fc.constant('application/json'), fc.constantFrom(...contentTypes))
  const texts = fc.oneof(fc.constantFrom(...hostileBodies), hostileText)
  const asText = fc.record({ mediaType, text: texts })
  if (corpus.length === 0) return asText
  return fc.oneof(asText, fc.record({ mediaType, bytes: fc.constantFrom(...corpus) }))
}
