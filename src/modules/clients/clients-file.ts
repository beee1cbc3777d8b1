import { isExposed } from '../../core/config/kinds.ts'
import { readText } from '../../core/config/read-file.ts'
import { hashedSecretWeaknesses } from '../../core/secret-strength/hashed-secret.ts'
import {
  asksAboutTokens,
  type Client,
  clientEntry,
  inWords,
  parseClient,
  quoted,
} from './client-entry.ts'
import { isObject } from './entry-reader.ts'

export interface ClientsReading {
  readonly clients: readonly Client[]
  /** Each begins with the setting. */
  readonly mistakes: readonly string[]
  readonly warnings: readonly string[]
}

const setting = 'CLIENTS_FILE'
export const maxBytes = 1_048_576

/** Empty without a file. Reports all mistakes at once. */
export function readClients(
  path: string | undefined,
  { audience, issuer }: { readonly audience?: string; readonly issuer?: string } = {},
): ClientsReading {
  if (path === undefined) return { clients: [], mistakes: [], warnings: [] }
  const file = readText(path, maxBytes)
  if ('mistake' in file) return refused([file.mistake])
  const { clients, mistakes } = parseClients(file.text, issuer)
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

export function clientsText(clients: readonly Client[]): string {
  return `${JSON.stringify({ clients: clients.map(clientEntry) }, null, 2)}\n`
}

/** Mistakes omit the setting's name. */
export function parseClients(
  text: string,
  issuer?: string,
): Pick<ClientsReading, 'clients' | 'mistakes'> {
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
    const { client, id, mistakes: own } = parseClient(entry, { issuer })
    const name = `client ${index + 1}${id === null ? '' : ` (${id})`}`
    mistakes.push(...own.map((mistake) => `${name} ${inWords(mistake)}`))
    if (client) clients.push(client)
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

function weakSecrets(clients: readonly Client[]): string[] {
  const given = clients.flatMap(({ id, secretHashes }) => secretHashes.map((hex) => ({ id, hex })))
  const weaknesses = hashedSecretWeaknesses(given)
  return given.flatMap(({ id, hex }) => {
    const weakness = weaknesses.get(hex)
    return weakness === undefined ? [] : [`client ${id} has a secret_hash that ${weakness}`]
  })
}
