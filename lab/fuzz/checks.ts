import { mistakesOf, type SentAnswer } from '../../test/openapi/answer-check.ts'
import type { ApiDocument } from '../../test/openapi/operations.ts'
import { headersOfEveryAnswer } from '../../test/refusal.ts'
import { headerOf, type ReadAnswer } from './answers.ts'
import type { Canaries } from './canaries.ts'

export interface Finding {
  readonly kind:
    | 'status'
    | 'headers'
    | 'document'
    | 'secret'
    | 'access'
    | 'log'
    | 'process'
    | 'wire'
    | 'model'
  readonly text: string
}

/** Tells which route of the document answered; set by the host, see host.ts. */
export const matchedHeader = 'x-matched-route'

const pageHeaders = { 'referrer-policy': 'same-origin' }
/** Errors that come before a request has a route. */
const parserErrors = new Set([
  'Bad request',
  'Request header fields too large',
  'Request timeout',
  'Request body too large',
  'Service unavailable',
  'Route not found',
  'Expectation failed',
])

export interface Asked {
  readonly method: string
  readonly document: ApiDocument
  readonly canaries: Canaries
}

export function judge(answer: ReadAnswer, { method, document, canaries }: Asked): Finding[] {
  const matched = headerOf(answer, matchedHeader)
  const found: Finding[] = [...statusFindings(answer, matched, document), ...headerFindings(answer)]
  try {
    const all =
      matched === undefined
        ? foundByParser(answer)
        : mistakesOf(sentAnswer(answer, matched, method), () => document)
    found.push(...all.map((text): Finding => ({ kind: 'document', text })))
  } catch (error) {
    found.push({ kind: 'document', text: `${answer.status}: ${String(error)}` })
  }
  const secrets = /^GET \/api\/(docs|openapi.json)$/.test(matched ?? '')
    ? [] // the same for all, with examples of hashes
    : canaries.within(answer.body, answer.status < 400 ? 'success' : 'error')
  for (const secret of secrets) {
    found.push({
      kind: 'secret',
      text: `in the body of ${matched ?? 'no route'} ${answer.status}: ${secret}`,
    })
  }
  return found
}

function statusFindings(
  answer: ReadAnswer,
  matched: string | undefined,
  document: ApiDocument,
): Finding[] {
  const { status } = answer
  if (status < 500) return []
  if (status === 503) {
    const seconds = headerOf(answer, 'retry-after') ?? ''
    const isReadiness = matched?.endsWith(' /health/ready')
    if (isReadiness || /^[1-9]\d*$/.test(seconds)) return []
    return [{ kind: 'status', text: `503 with Retry-After "${seconds}"` }]
  }
  const [method = '', path = ''] = (matched ?? '').split(' ')
  const isNamed = String(status) in (document.paths[path]?.[method.toLowerCase()]?.responses ?? {})
  if (status === 502 && isNamed) return [] // of a provider that is away
  return [
    { kind: 'status', text: `${matched ?? 'of no route'} ${status}: ${answer.body.slice(0, 200)}` },
  ]
}

function headerFindings(answer: ReadAnswer): Finding[] {
  const isPage = headerOf(answer, 'content-type')?.startsWith('text/html') ?? false
  const expected: Record<string, string> = { ...headersOfEveryAnswer, ...(isPage && pageHeaders) }
  const found: Finding[] = []
  for (const [name, value] of Object.entries(expected)) {
    const sent = answer.headers.filter(([each]) => each === name).map(([, text]) => text)
    // What does not change may be kept by a browser; pages have a second policy.
    if (name === 'cache-control' && sent.length === 1) continue
    const isRight =
      name === 'content-security-policy' && isPage ? sent[0] === value : `${sent}` === value
    if (!isRight) found.push({ kind: 'headers', text: `${answer.status}: ${name} is "${sent}"` })
  }
  for (const name of ['server', 'x-powered-by', 'x-injected']) {
    if (headerOf(answer, name) === undefined) continue
    found.push({ kind: 'headers', text: `${answer.status}: there is a header ${name}` })
  }
  return found
}

/** An answer of Node's parser, or of what comes before the router. */
function foundByParser({ status, headers, body }: ReadAnswer): string[] {
  if (status < 400) return [`${status} without a route`]
  if (body === '' && headers.some(([name, value]) => name === 'content-length' && value !== '0'))
    return [] // HEAD
  const type = headers.find(([name]) => name === 'content-type')?.[1]
  if (type !== 'application/json; charset=utf-8') return [`${status} without a route: type ${type}`]
  const { error, ...more } = JSON.parse(body) as { error?: string }
  const isKnown = parserErrors.has(error ?? '') && Object.keys(more).length === 0
  return isKnown ? [] : [`${status} without a route: ${body.slice(0, 200)}`]
}

function sentAnswer(answer: ReadAnswer, matched: string, method: string): SentAnswer {
  const [kind, path] = matched.split(' ')
  const headers: Record<string, unknown> = {}
  for (const [name, value] of answer.headers) {
    headers[name] = name in headers ? [headers[name], value].flat() : value
  }
  return {
    method: kind ?? '',
    path: path === '-' ? undefined : path,
    isHidden: path === '~',
    status: answer.status,
    headers,
    body: answer.body,
    hasBody: method !== 'HEAD' || answer.body !== '',
  }
}
