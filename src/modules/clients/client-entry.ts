import { type ClientPermission, clientPermissions } from '../../core/policy/principal.ts'
import type { Application } from './application.ts'
import { applicationEntry, applicationFields, parseApplication } from './application-entry.ts'
import { type Entry, isObject, type Mistake } from './entry-reader.ts'

/** A program with an id: it asks about tokens, reads metrics, or signs people in. RFC 6749 section 2 */
export interface Client {
  readonly id: string
  /** SHA-256 hex digests; two during a rotation; empty for a public application. */
  readonly secretHashes: readonly string[]
  /**
   * The client may introspect and revoke tokens with one of these `aud`. Empty only without both
   * permissions.
   */
  readonly audiences: readonly string[]
  readonly may: readonly ClientPermission[]
  readonly application?: Application
}

export const maxSecrets = 2
// Needs no encoding in Basic; unambiguous in logs.
const idFormat = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
const hashFormat = /^sha256:([0-9a-f]{64})$/i
const fields = ['id', 'secret_hash', 'secret_hashes', 'audiences', 'may', ...applicationFields]
const maxAudienceLength = 256

export interface ParsedClient {
  /** Null if invalid. */
  readonly id: string | null
  readonly client?: Client
  readonly mistakes: readonly Mistake[]
}

/** @param issuer what the resource of an application must name; undefined: not checked */
export function parseClient(entry: unknown, issuer?: string): ParsedClient {
  if (!isObject(entry)) return { id: null, mistakes: [whole('must be an object')] }
  const { id: sent, secret_hash: one, secret_hashes: several, audiences, may } = entry
  const id = typeof sent === 'string' && isClientId(sent) ? sent : null
  const given = one === undefined ? several : [one]
  const secretHashes = textsIn(given).flatMap(
    (text) => hashFormat.exec(text)?.[1]?.toLowerCase() ?? [],
  )
  const hasSecret = secretHashes.length > 0
  const parsed = parseApplication(entry, { id: id ?? '', hasSecret, issuer })
  const application = parsed?.application
  const known = clientPermissions.filter((permission) => textsIn(may).includes(permission))
  const isIntact = (list: unknown, length: number) => Array.isArray(list) && list.length === length
  // Only questions about tokens need audiences.
  const isEmpty = audiences === undefined || (Array.isArray(audiences) && audiences.length === 0)
  const mayLackAudiences =
    isEmpty && (known.length > 0 || application !== undefined) && !asksAboutTokens(known)
  const mayLackRights = application !== undefined && may === undefined
  const needsSecret = !application || ['basic', 'post'].includes(application.clientAuth)
  const unknown = Object.keys(entry).filter((name) => !fields.includes(name))
  const made: readonly (readonly [boolean, string])[] = [
    [
      id === null,
      'must have an id of 1 to 64 letters, digits, ".", "_" and "-" that begins with a letter or a digit',
    ],
    ...unknown.map((name) => [true, `has an unknown field ${quoted(name)}`] as const),
    [
      one !== undefined && several !== undefined,
      'has secret_hash and secret_hashes: one of them is enough',
    ],
    [
      needsSecret &&
        (!isIntact(given, secretHashes.length) || !hasSecret || secretHashes.length > maxSecrets),
      `must have a secret_hash "sha256:<64 hex digits>", or 1 to ${maxSecrets} of them as secret_hashes`,
    ],
    [
      !needsSecret && given !== undefined,
      'must have no secret_hash: its client_auth has no secret',
    ],
    [new Set(secretHashes).size < secretHashes.length, 'has the same hash twice'],
    [
      !mayLackAudiences &&
        (!isIntact(audiences, textsIn(audiences).filter(isAudience).length) ||
          textsIn(audiences).length === 0),
      'must have a list of audiences, each of 1 to 256 characters',
    ],
    [
      !mayLackRights && (!isIntact(may, known.length) || known.length === 0),
      `must have a list "may" of ${clientPermissions.join(', ')}, each once`,
    ],
  ]
  const mistakes = [
    ...made.filter(([isMade]) => isMade).map(([, message]) => whole(message)),
    ...(parsed?.mistakes ?? []),
  ]
  if (id === null) return { id, mistakes }
  const rights = { audiences: textsIn(audiences), may: known }
  return {
    id,
    client: { id, secretHashes, ...rights, ...(application && { application }) },
    mistakes,
  }
}

/** As CLIENTS_FILE has it. */
export function clientEntry({ id, secretHashes, audiences, may, application }: Client): Entry {
  const hashes = secretHashes.map((hex) => `sha256:${hex}`)
  const [only, ...others] = hashes
  const secrets = others.length === 0 ? { secret_hash: only } : { secret_hashes: hashes }
  const rights = { ...(audiences.length > 0 && { audiences }), ...(may.length > 0 && { may }) }
  const own = application ? { ...rights, ...applicationEntry(id, application) } : { audiences, may }
  return { id, ...secrets, ...own }
}

/** Token permissions require audiences. */
export function asksAboutTokens(may: readonly ClientPermission[]): boolean {
  return may.some((permission) => permission !== 'metrics')
}

export function isClientId(text: string): boolean {
  return idFormat.test(text)
}

export function isAudience(text: string): boolean {
  return text !== '' && text.length <= maxAudienceLength && !/\p{C}/u.test(text)
}

/** A mistake as a sentence whose subject is the client. */
export function inWords({ path, message }: Mistake): string {
  return path.length === 0 ? message : `has a wrong field ${path.join('.')}: it ${message}`
}

function whole(message: string): Mistake {
  return { path: [], message }
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

/** JSON: control characters must not reach the terminal. */
export function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 64))
}
