import type { Expected } from './check.ts'
import type { Answer } from './http.ts'
import type { Secrets } from './secrets.ts'
import { faultsOf, inWords } from './shapes.ts'
import type { About } from './values.ts'

/** What is wrong with an answer; empty if nothing is. */
export function judge(
  { body, cookie, headers = {}, status }: Expected,
  answer: Answer,
  cookieName: string,
  about: About,
): string[] {
  return [
    ...([status].flat().includes(answer.status)
      ? []
      : [`status: expected ${statusText(status)}, was ${answer.status}`]),
    ...Object.entries(headers).flatMap(([name, expected]) =>
      faultsOf(expected, answer.headers[name] ?? null, `header ${name}`, about),
    ),
    ...(cookie === undefined ? [] : cookieFaults(cookie, answer, cookieName)),
    ...(body === undefined ? [] : bodyFaults(body, answer, about)),
  ]
}

function cookieFaults(flags: readonly string[] | null, { cookies }: Answer, name: string) {
  const field = cookies.find((one) => one.startsWith(`${name}=`))
  if (flags === null) return field === undefined ? [] : [`cookie ${name}: expected none`]
  if (field === undefined) return [`cookie ${name}: expected, was absent`]
  const present = field.split(';').map((part) => part.trim().toLowerCase())
  return flags
    .filter((flag) => !present.includes(flag.toLowerCase()))
    .map((flag) => `cookie ${name}: expected ${flag}`)
}

function bodyFaults(expected: unknown, answer: Answer, about: About): string[] {
  if (expected === '') return answer.text === '' ? [] : ['body: expected none']
  const type = answer.headers['content-type'] ?? 'absent'
  const typeFaults = /^application\/json\b/.test(type)
    ? []
    : [`header content-type: expected application/json, was ${type}`]
  return [...typeFaults, ...faultsOf(expected, answer.body, 'body', about)]
}

/** For reports and documents. */
export function expectedText({ body, cookie, headers = {}, status }: Expected): string {
  const fields = Object.entries(headers).map(([name, expected]) =>
    expected === null ? `no ${name}` : `${name}: ${inWords(expected)}`,
  )
  const cookies =
    cookie === undefined
      ? []
      : [cookie === null ? 'no session cookie' : `cookie with ${cookie.join(', ')}`]
  const bodies = body === undefined ? [] : [body === '' ? 'no body' : inWords(body)]
  return [statusText(status), ...fields, ...cookies, ...bodies].join('; ')
}

function statusText(status: Expected['status']): string {
  return [status].flat().join(' or ')
}

export function actualText({ status, text }: Answer, { safe }: Pick<Secrets, 'safe'>): string {
  return `${status}; ${text === '' ? 'no body' : safe(text)}`
}
