import assert from 'node:assert/strict'

/** The headers that spec 5.7 and the decisions require of every answer, also of the parser's. */
export const headersOfEveryAnswer: Readonly<Record<string, string>> = {
  'content-security-policy': "default-src 'self'; script-src 'self'",
  'x-frame-options': 'DENY',
  'x-xss-protection': '1; mode=block',
  'x-content-type-options': 'nosniff',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}

interface AnyAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  /** The text, or the parsed JSON. */
  readonly body: unknown
}

export function assertHeaders({ headers }: AnyAnswer, about = ''): void {
  for (const [name, value] of Object.entries(headersOfEveryAnswer)) {
    assert.equal(headers[name], value, `${name} ${about}`)
  }
  for (const name of ['server', 'x-powered-by']) assert.equal(headers[name], undefined, about)
}

/** Asserts status, exact body, JSON with a charset and the headers of every answer. */
export function assertRefusal(
  answer: AnyAnswer,
  status: number,
  error: string,
  about = '',
  more: object = {},
): void {
  const body: unknown = typeof answer.body === 'string' ? JSON.parse(answer.body) : answer.body
  assert.deepEqual([answer.status, body], [status, { error, ...more }], about)
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8', about)
  assertHeaders(answer, about)
}
