import { isExposed } from '../../core/config/kinds.ts'
import { readText } from '../../core/config/read-file.ts'
import { type ClientPermission, clientPermissions } from '../../core/policy/principal.ts'
import { hashedSecretWeaknesses } from '../../core/secret-strength/hashed-secret.ts'

/** A service that introspects tokens (RFC 6749 section 2) or reads metrics. */
export interface Client {
  readonly id: string
  /** SHA-256 hex digests; two during a rotation. */
  readonly secretHashes: readonly string[]
  /**
   * The client may introspect and revoke tokens with one of these `aud`. Empty only without both
   * permissions.
   */
  readonly audiences: readonly string[]
  readonly may: readonly ClientPermission[]
}

export interface ClientsReading {
  readonly clients: readonly Client[]
  /** Each begins with the setting. */
  readonly mistakes: readonly string[]
  readonly warnings: readonly string[]
}

export const maxSecrets = 2
const setting = 'CLIENTS_FILE'
export const maxBytes = 1_048_576
// Needs no encoding in Basic; unambiguous in logs.
const idFormat = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
const hashFormat = /^sha256:([0-9a-f]{64})$/i
const fields = ['id', 'secret_hash', 'secret_hashes', 'audiences', 'may']
const maxAudienceLength = 256

/** Empty without a file. Reports all mistakes at once. */
export function readClients(
  path: string | undefined,
  { audience }: { readonly audience?: string } = {},
): ClientsReading {
  if (path === undefined) return { clients: [], mistakes: [], warnings: [] }
  const file = readText(path, maxBytes)
  if ('mistake' in file) return refused([file.mistake])
  const { clients, mistakes } = parseClients(file.text)
  if (mistakes.length > 0) return refused(mistakes)
  const isForeign = ({ audiences, may }: Client) =>
    audience !== undefined && asksAboutTokens(may) && !audiences.includes(audience)
  const warnings = [
    ...(isExposed(file.stats) ? [`${path} can be read by other users of this machine`] : []),
    ...clients
      .filter(isForeign)
      .map(
        ({ id }) =>
          `client ${id} finds every token inactive: none has another aud than ${audience}`,
      ),
  ]
  return { clients, mistakes: [], warnings: warnings.map((line) => `${setting}: ${line}`) }
}

function refused(mistakes: readonly string[]): ClientsReading {
  return { clients: [], mistakes: mistakes.map((line) => `${setting} ${line}`), warnings: [] }
}

/** Token permissions require audiences. */
export function asksAboutTokens(may: readonly ClientPermission[]): boolean {
  return may.some((permission) => permission !== 'metrics')
}

export function isClientId(text: string): boolean {
  return idFormat.test(text)
}

export function clientsText(clients: readonly Client[]): string {
  const entries = clients.map(({ id, secretHashes, audiences, may }) => {
    const hashes = secretHashes.map((hex) => `sha256:${hex}`)
    const [only, ...others] = hashes
    const secrets = others.length === 0 ? { secret_hash: only } : { secret_hashes: hashes }
    return { id, ...secrets, audiences, may }
  })
  return `${JSON.stringify({ clients: entries }, null, 2)}\n`
}

/** Mistakes omit the setting's name. */
export function parseClients(text: string): Pick<ClientsReading, 'clients' | 'mistakes'> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { clients: [], mistakes: ['is not JSON'] } // the parser's message would quote the file
  }
  const { clients: list, ...others } = isObject(value) ? value : {}
  if (!Array.isArray(list))
    return { clients: [], mistakes: ['must be an object with a list "clients"'] }
  const mistakes = Object.keys(others).map((name) => `has an unknown field ${quoted(name)}`)
  const clients: Client[] = []
  for (const [index, entry] of list.entries()) {
    const { id, secretHashes, audiences, may, mistakes: own } = parseClient(entry)
    const name = `client ${index + 1}${id === null ? '' : ` (${id})`}`
    mistakes.push(...own.map((mistake) => `${name} ${mistake}`))
    if (id !== null) clients.push({ id, secretHashes, audiences, may })
  }
  const twice = new Set(
    clients
      .filter(({ id }, at) => clients.findIndex((one) => one.id === id) < at)
      .map(({ id }) => id),
  )
  mistakes.push(...[...twice].map((id) => `has the client ${id} twice`))
  const ownerOf = new Map<string, string>()
  for (const { id, secretHashes } of clients) {
    for (const hex of secretHashes) {
      const other = ownerOf.get(hex) ?? id
      ownerOf.set(hex, other)
      if (other !== id) mistakes.push(`client ${id} has a secret_hash of client ${other}`)
    }
  }
  mistakes.push(...weakSecrets(clients))
  return { clients: mistakes.length > 0 ? [] : clients, mistakes }
}

interface Parsed extends Omit<Client, 'id'> {
  /** Null if invalid. */
  readonly id: string | null
  readonly mistakes: readonly string[]
}

function parseClient(entry: unknown): Parsed {
  if (!isObject(entry))
    return { id: null, secretHashes: [], audiences: [], may: [], mistakes: ['must be an object'] }
  const { id, secret_hash: one, secret_hashes: several, audiences, may } = entry
  const isId = typeof id === 'string' && idFormat.test(id)
  const given = one === undefined ? several : [one]
  const secretHashes = textsIn(given).flatMap(
    (text) => hashFormat.exec(text)?.[1]?.toLowerCase() ?? [],
  )
  const known = clientPermissions.filter((permission) => textsIn(may).includes(permission))
  const isIntact = (list: unknown, length: number) => Array.isArray(list) && list.length === length
  // A metrics-only client needs no audiences.
  const isEmpty = audiences === undefined || (Array.isArray(audiences) && audiences.length === 0)
  const mayLackAudiences = isEmpty && known.length > 0 && !asksAboutTokens(known)
  const unknown = Object.keys(entry).filter((name) => !fields.includes(name))
  const mistakes: readonly (readonly [boolean, string])[] = [
    [
      !isId,
      'must have an id of 1 to 64 letters, digits, ".", "_" and "-" that begins with a letter or a digit',
    ],
    ...unknown.map((name) => [true, `has an unknown field ${quoted(name)}`] as const),
    [
      one !== undefined && several !== undefined,
      'has secret_hash and secret_hashes: one of them is enough',
    ],
    [
      !isIntact(given, secretHashes.length) ||
        secretHashes.length === 0 ||
        secretHashes.length > maxSecrets,
      `must have a secret_hash "sha256:<64 hex digits>", or 1 to ${maxSecrets} of them as secret_hashes`,
    ],
    [new Set(secretHashes).size < secretHashes.length, 'has the same hash twice'],
    [
      !mayLackAudiences &&
        (!isIntact(audiences, textsIn(audiences).filter(isAudience).length) ||
          textsIn(audiences).length === 0),
      'must have a list of audiences, each of 1 to 256 characters',
    ],
    [
      !isIntact(may, known.length) || known.length === 0,
      `must have a list "may" of ${clientPermissions.join(', ')}, each once`,
    ],
  ]
  return {
    id: isId ? id : null,
    secretHashes,
    audiences: textsIn(audiences),
    may: known,
    mistakes: mistakes.filter(([isMade]) => isMade).map(([, mistake]) => mistake),
  }
}

function weakSecrets(clients: readonly Client[]): string[] {
  const given = clients.flatMap(({ id, secretHashes }) => secretHashes.map((hex) => ({ id, hex })))
  const weaknesses = hashedSecretWeaknesses(given)
  return given.flatMap(({ id, hex }) => {
    const weakness = weaknesses.get(hex)
    return weakness === undefined ? [] : [`client ${id} has a secret_hash that ${weakness}`]
  })
}

export function isAudience(text: string): boolean {
  return text !== '' && text.length <= maxAudienceLength && !/\p{C}/u.test(text)
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** JSON: control characters must not reach the terminal. */
function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 64))
}
