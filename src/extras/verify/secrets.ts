import type { Answer, Sent } from './http.ts'

/** All secrets that the run is given, makes or receives. Reports are kept and sent. */
export interface Secrets {
  /** The password, alone and in Basic credentials. */
  addLogin(username: string, password: string): void
  /** Credentials of the request, and those that its answer gives. */
  note(sent: Sent, answer: Answer | null): void
  /** The text without them, and then cut. */
  safe(text: string, maxLength?: number): string
}

const hidden = '(hidden)'
// A shorter text is no secret of a service, but can be a word of the report.
const leastLength = 8
const secretName = /(?:token|secret|password|cookie|codes)$|^(?:uri|qr|key|sid)$/i
const secretFields = /("(?:csrf_token|secret|uri|qr|key)"\s*:\s*)"[^"]*"/g
const token = /[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/g

export function createSecrets(): Secrets {
  const exact = new Set<string>()

  function add(secret: string): void {
    if (exact.has(secret)) return
    for (const form of formsOf(secret)) exact.add(form)
  }

  function addLong(secret: string): void {
    if (secret.length >= leastLength) add(secret)
  }

  function hide(text: string): string {
    let rest = text
    // Longer texts first: one can be a part of another.
    for (const secret of [...exact].sort((left, right) => right.length - left.length)) {
      rest = rest.replaceAll(secret, hidden)
    }
    return rest.replace(secretFields, `$1"${hidden}"`).replace(token, '(token)')
  }

  return {
    addLogin(username, password) {
      if (password === '') return
      add(password)
      const pair = Buffer.from(`${username}:${password}`)
      for (const encoding of ['base64', 'base64url'] as const) {
        add(pair.toString(encoding).replace(/=+$/, ''))
      }
    },

    note({ headers }, answer) {
      const [, credential = ''] = /^\S+ +(.+)$/.exec(headers.authorization ?? '') ?? []
      addLong(credential)
      addLong(headers['x-csrf-token'] ?? '')
      for (const pair of (headers.cookie ?? '').split(/; */)) addLong(afterEquals(pair))
      for (const cookie of answer?.cookies ?? [])
        addLong(afterEquals(cookie.split(';', 1)[0] ?? ''))
      for (const secret of secretsIn(answer?.body)) addLong(secret)
    },

    safe(text, maxLength = 600) {
      const whole = hide(text)
      return whole.length > maxLength ? `${whole.slice(0, maxLength)}…` : whole
    },
  }
}

/** As it is, in JSON, in JSON in JSON, and in forms and addresses. */
function formsOf(secret: string): string[] {
  const inner = (text: string) => JSON.stringify(text).slice(1, -1)
  const ascii = (text: string) =>
    text.replace(
      /[^\x20-\x7e]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
  const json = inner(secret)
  const form = new URLSearchParams({ x: secret }).toString().slice(2)
  const encoded = encodeURIComponent(secret.toWellFormed())
  return [secret, json, inner(json), ascii(json), inner(ascii(json)), form, encoded]
}

function afterEquals(pair: string): string {
  return pair.slice(pair.indexOf('=') + 1)
}

/** Texts in fields with the name of a secret, and in their lists. */
function secretsIn(body: unknown, isSecret = false): string[] {
  if (typeof body === 'string') return isSecret ? [body] : []
  if (Array.isArray(body)) return body.flatMap((item) => secretsIn(item, isSecret))
  if (typeof body !== 'object' || body === null) return []
  return Object.entries(body).flatMap(([name, value]) => secretsIn(value, secretName.test(name)))
}
