import { canonicalAddress } from '../../core/addresses/address.ts'
import { refuseField } from '../../core/errors.ts'
import { namesOfEvent } from '../../core/events/types.ts'
import { type Query, single } from '../../core/http/lists/paging.ts'
import { dateTimeMessage, parseDateTime } from '../../core/lib/date-time.ts'
import { isStorableText } from '../../core/lib/text.ts'
import type { KnownEvent } from '../../core/module/registry.ts'

/** Which records are read; an absent field selects all. */
export interface AuditFilters {
  /** Records of one of these types; of none, if a choice of types leaves none. */
  readonly types?: readonly string[] | undefined
  /** The actor: a subject or a username, see `indexesOf` in audit-log.ts. */
  readonly actor?: string | undefined
  /** The person whom the record concerns, likewise. */
  readonly target?: string | undefined
  /** In canonical form. */
  readonly address?: string | undefined
  readonly requestId?: string | undefined
  /** From this time on, in epoch milliseconds. */
  readonly since?: number | undefined
  /** Before this time. */
  readonly until?: number | undefined
}

export const auditLevels = ['info', 'warn', 'critical'] as const
export const auditOutcomes = ['success', 'failure'] as const

const maxTypes = 20
const typeName = /^[\w:.-]{1,64}$/
const maxTextLength = 512

/**
 * Parses the filters of a query. `type` may be repeated, and hold several names between commas; any
 * other filter is given once.
 * @param known the types that this program declares
 * @throws ApiError validationFailed
 */
export function parseFilters(query: Query, known: readonly KnownEvent[]): AuditFilters {
  return {
    types: chosenTypes(query, known),
    actor: parseText(query, 'actor'),
    target: parseText(query, 'target'),
    address: parseAddress(query),
    requestId: parseText(query, 'request_id'),
    since: parseTime(query, 'since'),
    until: parseTime(query, 'until'),
  }
}

const filterNames = [
  ...['type', 'category', 'level', 'outcome'],
  ...['actor', 'target', 'address', 'request_id', 'since', 'until'],
]

/** The names of the filters that a query gives, for the event of the reading. */
export function namesOf(query: Query): string[] {
  return filterNames.filter((name) => query[name] !== undefined)
}

/**
 * The types that `type`, `category`, `level` and `outcome` leave. The last three choose among the types
 * that this program knows, so that an index answers them as it does a type.
 */
function chosenTypes(query: Query, known: readonly KnownEvent[]): readonly string[] | undefined {
  const named = parseTypes(query.type, known)
  const category = parseAmong(query, 'category', [
    ...new Set(known.map(({ category }) => category)),
  ])
  const level = parseAmong(query, 'level', auditLevels)
  const outcome = parseAmong(query, 'outcome', auditOutcomes)
  if (category === undefined && level === undefined && outcome === undefined) return named
  const left = known.filter(
    (type) =>
      (category === undefined || type.category === category) &&
      (level === undefined || type.level === level) &&
      (outcome === undefined || type.outcome === outcome),
  )
  const names = left.flatMap(({ name }) => namesOfEvent(known, name))
  return named ? named.filter((name) => names.includes(name)) : names
}

function parseAmong<Name extends string>(
  query: Query,
  name: string,
  allowed: readonly Name[],
): Name | undefined {
  const text = single(query, name)
  if (text === undefined) return undefined
  const found = allowed.find((one) => one === text)
  return found ?? refuseField([name], `must be one of ${allowed.join(', ')}`)
}

function parseTypes(value: unknown, known: readonly KnownEvent[]): readonly string[] | undefined {
  if (value === undefined) return undefined
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value]
  const names = new Set(texts.flatMap((text) => String(text).split(',')))
  if (names.size > maxTypes) return refuseField(['type'], `must name at most ${maxTypes} types`)
  for (const name of names) {
    if (!typeName.test(name)) return refuseField(['type'], 'must name types of events')
  }
  return [...new Set([...names].flatMap((name) => namesOfEvent(known, name)))]
}

function parseText(query: Query, name: string): string | undefined {
  const text = single(query, name)
  if (text === undefined) return undefined
  if (text === '') return refuseField([name], 'must not be empty')
  if (text.length > maxTextLength) {
    return refuseField([name], `must have at most ${maxTextLength} characters`)
  }
  if (!isStorableText(text)) {
    return refuseField([name], 'must not hold NUL characters or lone surrogates')
  }
  return text
}

function parseAddress(query: Query): string | undefined {
  const text = single(query, 'address')
  if (text === undefined) return undefined
  return canonicalAddress(text) ?? refuseField(['address'], 'must be an IP address')
}

function parseTime(query: Query, name: string): number | undefined {
  const text = single(query, name)
  if (text === undefined) return undefined
  return parseDateTime(text) ?? refuseField([name], dateTimeMessage)
}
