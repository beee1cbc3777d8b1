import { canonicalAddress } from '../../core/addresses/address.ts'
import { refuseField } from '../../core/errors.ts'
import { namesOfEvent } from '../../core/events/types.ts'
import { among, parseFilters, storable, time } from '../../core/http/lists/filters.ts'
import type { Query } from '../../core/http/lists/paging.ts'
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

const ownFilters = {
  actor: text,
  target: text,
  address: (typed: string) =>
    canonicalAddress(typed) ?? refuseField(['address'], 'must be an IP address'),
  request_id: text,
  since: time,
  until: time,
}

/**
 * Parses the filters of a query. `type` may be repeated, and hold several names between commas; any
 * other filter is given once.
 * @param known the types that this program declares
 * @throws ApiError validationFailed
 */
export function parseAuditFilters(query: Query, known: readonly KnownEvent[]): AuditFilters {
  const types = chosenTypes(query, known)
  const { request_id: requestId, ...others } = parseFilters(query, ownFilters)
  return { types, requestId, ...others }
}

const filterNames = ['type', 'category', 'level', 'outcome', ...Object.keys(ownFilters)]

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
  const { category, level, outcome } = parseFilters(query, {
    category: among([...new Set(known.map((type) => type.category))]),
    level: among(auditLevels),
    outcome: among(auditOutcomes),
  })
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

function text(typed: string, field: string): string {
  if (typed === '') return refuseField([field], 'must not be empty')
  if (typed.length > maxTextLength) {
    return refuseField([field], `must have at most ${maxTextLength} characters`)
  }
  return storable(typed, field)
}
