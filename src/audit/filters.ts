import { canonicalAddress } from '../addresses/address.ts'
import { type Query, single } from '../http/lists/paging.ts'
import { dateTimeMessage, parseDateTime } from '../kernel/date-time.ts'
import { refuseField } from '../kernel/errors.ts'
import { isStorableText } from '../kernel/text.ts'

/** Which records are read; an absent field selects all. */
export interface AuditFilters {
  /** Records of one of these types. */
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

const maxTypes = 20
const typeName = /^[\w:.-]{1,64}$/
const maxTextLength = 512

/**
 * Parses the filters of a query. `type` may be repeated, and hold several names between commas; any
 * other filter is given once. @throws ApiError validationFailed
 */
export function parseFilters(query: Query): AuditFilters {
  return {
    types: parseTypes(query.type),
    actor: parseText(query, 'actor'),
    target: parseText(query, 'target'),
    address: parseAddress(query),
    requestId: parseText(query, 'request_id'),
    since: parseTime(query, 'since'),
    until: parseTime(query, 'until'),
  }
}

/** The names of the filters that are given, for the event of the reading. */
export function namesOf(filters: AuditFilters): string[] {
  const names = { ...filters, type: filters.types, request_id: filters.requestId }
  return ['type', 'actor', 'target', 'address', 'request_id', 'since', 'until'].filter(
    (name) => names[name as keyof typeof names] !== undefined,
  )
}

function parseTypes(value: unknown): readonly string[] | undefined {
  if (value === undefined) return undefined
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value]
  const names = new Set(texts.flatMap((text) => String(text).split(',')))
  if (names.size > maxTypes) return refuseField(['type'], `must name at most ${maxTypes} types`)
  for (const name of names) {
    if (!typeName.test(name)) return refuseField(['type'], 'must name types of events')
  }
  return [...names]
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
