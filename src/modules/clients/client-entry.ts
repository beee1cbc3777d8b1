import type { Words } from '../../core/lib/languages.ts'
import { type ClientPermission, clientPermissions } from '../../core/policy/principal.ts'
import type { Application } from './application.ts'
import { applicationEntry, applicationFields, parseApplication } from './application-entry.ts'
import { type Entry, isObject, type Mistake } from './entry-reader.ts'

/** A program with an id: it asks about tokens, reads metrics, or signs people in. RFC 6749 section 2 */
export interface Client {
  readonly id: string
  /** SHA-256 hex digests, the newest first; two during a rotation; empty without a secret. */
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
// Needs no encoding in Basic; unambiguous in logs; not the name of a path beside the ids.
const idFormat = /^(?!registration-tokens$)[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
const hashFormat = /^sha256:([0-9a-f]{64})$/i
const fields = ['id', 'audiences', 'may', ...applicationFields]
const secretFields = ['secret_hash', 'secret_hashes']
const maxAudienceLength = 256

export interface ParsedClient {
  /** Null if invalid. */
  readonly id: string | null
  readonly client?: Client
  readonly mistakes: readonly Mistake[]
}

export interface ParseOptions {
  /** What the resource of an application must name; undefined: not checked. */
  readonly issuer?: string | undefined
  /** Of the database, whose entries have no fields of secrets. */
  readonly storedHashes?: readonly string[] | undefined
}

type Rule = readonly [isBroken: boolean, message: Words]

export function parseClient(
  entry: unknown,
  { issuer, storedHashes }: ParseOptions = {},
): ParsedClient {
  if (!isObject(entry))
    return { id: null, mistakes: [whole({ en: 'must be an object', de: 'muss ein Objekt sein' })] }
  const id = typeof entry.id === 'string' && isClientId(entry.id) ? entry.id : null
  const secretHashes = storedHashes ?? hashesIn(entry)
  const hasSecret = secretHashes.length > 0
  const parsed = parseApplication(entry, { id: id ?? '', hasSecret, issuer })
  const application = parsed?.application
  const may = clientPermissions.filter((one) => textsIn(entry.may).includes(one))
  const names = storedHashes ? fields : [...fields, ...secretFields]
  const unknown = Object.keys(entry).filter((name) => !names.includes(name))
  const rules: readonly Rule[] = [
    [
      id === null,
      {
        en: 'must have an id of 1 to 64 letters, digits, ".", "_" and "-" that begins with a letter or a digit',
        de: 'muss eine id aus 1 bis 64 Buchstaben, Ziffern, „.“, „_“ und „-“ haben, die mit einem Buchstaben oder einer Ziffer beginnt',
      },
    ],
    ...unknown.map(
      (name) =>
        [
          true,
          {
            en: `has an unknown field ${quoted(name)}`,
            de: `hat ein unbekanntes Feld ${quoted(name)}`,
          },
        ] as const,
    ),
    ...(storedHashes ? [] : secretRules(entry, secretHashes, hasSecrets({ application }))),
    ...rightRules(entry, may, application !== undefined),
  ]
  const broken = rules.filter(([isBroken]) => isBroken).map(([, message]) => whole(message))
  const mistakes = [...broken, ...(parsed?.mistakes ?? [])]
  if (id === null) return { id, mistakes }
  const rights = { audiences: textsIn(entry.audiences), may }
  const client = { id, secretHashes, ...rights, ...(application && { application }) }
  return { id, client, mistakes }
}

function secretRules(entry: Entry, hashes: readonly string[], isNeeded: boolean): readonly Rule[] {
  const { secret_hash: one, secret_hashes: several } = entry
  const given = one === undefined ? several : [one]
  const isIntact = isListOf(given, hashes.length)
  const isCounted = hashes.length > 0 && hashes.length <= maxSecrets
  return [
    [
      one !== undefined && several !== undefined,
      {
        en: 'has secret_hash and secret_hashes: one of them is enough',
        de: 'hat secret_hash und secret_hashes: Eines genügt',
      },
    ],
    [
      isNeeded && (!isIntact || !isCounted),
      {
        en: `must have a secret_hash "sha256:<64 hex digits>", or 1 to ${maxSecrets} of them as secret_hashes`,
        de: `muss ein secret_hash „sha256:<64 Hexziffern>“ haben, oder 1 bis ${maxSecrets} davon als secret_hashes`,
      },
    ],
    [
      !isNeeded && given !== undefined,
      {
        en: 'must have no secret_hash: its client_auth has no secret',
        de: 'darf kein secret_hash haben: Sein client_auth hat kein Geheimnis',
      },
    ],
    [
      new Set(hashes).size < hashes.length,
      { en: 'has the same hash twice', de: 'hat denselben Hash zweimal' },
    ],
  ]
}

function rightRules(
  { audiences, may }: Entry,
  known: readonly ClientPermission[],
  isApplication: boolean,
): readonly Rule[] {
  const given = textsIn(audiences).filter(isAudience).length
  const isEmpty = (list: unknown) => list === undefined || isListOf(list, 0)
  // Only questions about tokens need audiences.
  const mayLackAudiences =
    isEmpty(audiences) && (known.length > 0 || isApplication) && !asksAboutTokens(known)
  const mayLackRights = isApplication && isEmpty(may)
  return [
    [
      !mayLackAudiences && (!isListOf(audiences, given) || given === 0),
      {
        en: 'must have a list of audiences, each of 1 to 256 characters',
        de: 'muss eine Liste von audiences haben, jede mit 1 bis 256 Zeichen',
      },
    ],
    [
      !mayLackRights && (!isListOf(may, known.length) || known.length === 0),
      {
        en: `must have a list "may" of ${clientPermissions.join(', ')}, each once`,
        de: `muss eine Liste „may“ aus ${clientPermissions.join(', ')} haben, jedes einmal`,
      },
    ],
  ]
}

/** As CLIENTS_FILE has it. */
export function clientEntry(client: Client): Entry {
  const hashes = client.secretHashes.map((hex) => `sha256:${hex}`)
  const [only, ...others] = hashes
  const secrets = others.length === 0 ? { secret_hash: only } : { secret_hashes: hashes }
  const { id, ...entry } = publicEntry(client)
  return { id, ...(hashes.length > 0 && secrets), ...entry }
}

/** Without what verifies the secrets. */
export function publicEntry({ id, audiences, may, application }: Client): Entry & { id: string } {
  if (!application) return { id, audiences, may }
  const rights = { ...(audiences.length > 0 && { audiences }), ...(may.length > 0 && { may }) }
  return { id, ...rights, ...applicationEntry(id, application) }
}

/** Whether the client authenticates by a secret. */
export function hasSecrets({ application }: { readonly application?: Application | undefined }) {
  return !application || ['basic', 'post'].includes(application.clientAuth)
}

/** Whether the client cannot keep a secret. RFC 6749 section 2.1 */
export function isPublic({ application }: { readonly application?: Application | undefined }) {
  return application?.clientAuth === 'none'
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

/** JSON: control characters must not reach the terminal. */
export function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 64))
}

function hashesIn({ secret_hash: one, secret_hashes: several }: Entry): string[] {
  const given = one === undefined ? several : [one]
  return textsIn(given).flatMap((text) => hashFormat.exec(text)?.[1]?.toLowerCase() ?? [])
}

function isListOf(value: unknown, length: number): boolean {
  return Array.isArray(value) && value.length === length
}

function whole(words: Words): Mistake {
  return { path: [], message: words.en, words }
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}
