import { CeremonyError } from './ceremony-error.ts'

/** `RegistrationResponseJSON` or `AuthenticationResponseJSON` as sent: nothing is checked. */
export interface SentResponse {
  readonly id?: unknown
  readonly rawId?: unknown
  readonly type?: unknown
  readonly response?: unknown
}

const base64url = /^[A-Za-z0-9_-]*$/
const maxLetters = 24_576

export interface Response {
  /** base64url. */
  readonly id: string
  /** @throws CeremonyError if the field is no base64url in its only spelling */
  bytes(name: string): Buffer
  /** Null if absent. @throws CeremonyError as `bytes` */
  optionalBytes(name: string): Buffer | null
  texts(name: string): string[]
}

/** The names of fields are the steps of their refusals. @throws CeremonyError */
export function readResponse(sent: unknown): Response {
  if (!isObject(sent)) throw new CeremonyError('response')
  const { id, rawId, type, response } = sent as SentResponse
  if (type !== 'public-key') throw new CeremonyError('credential_type')
  if (typeof id !== 'string' || id === '' || rawId !== id) throw new CeremonyError('id')
  if (!isObject(response)) throw new CeremonyError('response')
  decoded('id', id)
  return {
    id,
    bytes: (name) => decoded(name, response[name]),
    optionalBytes(name) {
      const value = response[name]
      return value === undefined || value === null ? null : decoded(name, value)
    },
    texts(name) {
      const value = response[name]
      return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
    },
  }
}

/** Null if the response names no credential. */
export function idIn(sent: unknown): string | null {
  const { id } = isObject(sent) ? (sent as SentResponse) : {}
  return typeof id === 'string' && id.length <= maxLetters ? id : null
}

function decoded(name: string, value: unknown): Buffer {
  if (typeof value !== 'string' || value.length > maxLetters || !base64url.test(value)) {
    throw new CeremonyError(name)
  }
  const bytes = Buffer.from(value, 'base64url')
  if (bytes.toString('base64url') !== value) throw new CeremonyError(name)
  return bytes
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
