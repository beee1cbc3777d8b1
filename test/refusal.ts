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

export interface AnyAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  /** The text, or the parsed JSON. */
  readonly body: unknown
}

/** Asserts the headers of every answer, and that none names the server. */
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

/** The policies of a page: that of every answer, and one for what it leaves open. */
export const policiesOfPages = [
  "default-src 'self'; script-src 'self'",
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'",
]

/** Asserts status, heading, type and headers of a page, and that it has nothing inline. */
export function assertPage(
  answer: AnyAnswer & { readonly text: string },
  status: number,
  heading: string,
  about = '',
): void {
  const [, shown] = /<h1>(.*?)<\/h1>/s.exec(answer.text) ?? []
  assert.deepEqual([answer.status, shown], [status, heading], about)
  const { headers, text } = answer
  assert.deepEqual(headers['content-security-policy'], policiesOfPages, about)
  assert.equal(headers['referrer-policy'], 'same-origin', about)
  assert.equal(headers['content-type'], 'text/html; charset=utf-8', about)
  const { 'content-security-policy': _, 'referrer-policy': __, ...others } = headersOfEveryAnswer
  for (const [name, value] of Object.entries(others)) assert.equal(headers[name], value, name)
  assert.match(text, /^<!doctype html>\n<html lang="en">/)
  for (const landmark of ['<title>', '<header', '<main', 'class="skip"']) {
    assert.ok(text.includes(landmark), landmark)
  }
  assert.doesNotMatch(text, /(?:src|href|action)="(?:https?:)?\/\//i)
  const tags = text.replace(/"[^"]*"/g, '""')
  assert.doesNotMatch(tags, /<script(?! type="" src="">)|<style| style=| on[a-z]+=/i)
}
