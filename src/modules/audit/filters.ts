import { canonicalAddress } from '../../core/addresses/address.ts'
import { refuseField } from '../../core/errors.ts'
import { namesOfEvent } from '../../core/events/types.ts'
import { among, parseFilters, storable, time } from '../../core/http/lists/filters.ts'
import type { Query } from '../../core/http/lists/paging.ts'
import type { KnownEvent } from '../../core/module/registry.ts'

/** An absent field selects all records. */
export interface AuditFilters {
  /** An empty list selects nothing. */
  readonly types?: readonly string[] | undefined
  /** See `indexesOf` in audit-log.ts. */
  readonly actor?: string | undefined
  /** The person concerned, as `actor`. */
  readonly target?: string | undefined
  /** Canonical form. */
  readonly address?: string | undefined
  readonly requestId?: string | undefined
  /** Inclusive, epoch milliseconds. */
  readonly since?: number | undefined
  /** Exclusive. */
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
    canonicalAddress(typed) ??
    refuseField(['address'], { en: 'must be an IP address', de: 'muss eine IP-Adresse sein' }),
  request_id: text,
  since: time,
  until: time,
}

/**
 * `type` may be repeated and comma-separated; other filters are given once.
 * @param known the declared event types
 * @throws ApiError validationFailed
 */
export function parseAuditFilters(query: Query, known: readonly KnownEvent[]): AuditFilters {
  const types = chosenTypes(query, known)
  const { request_id: requestId, ...others } = parseFilters(query, ownFilters)
  return { types, requestId, ...others }
}

const filterNames = ['type', 'category', 'level', 'outcome', ...Object.keys(ownFilters)]

export function namesOf(query: Query): string[] {
  return filterNames.filter((name) => query[name] !== undefined)
}

/** `category`, `level` and `outcome` are resolved to known types, so that an index applies. */
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
  // String() joins a repeated parameter with commas.
  const names = new Set(String(value).split(','))
  if (names.size > maxTypes)
    return refuseField(['type'], {
      en: `must name at most ${maxTypes} types`,
      de: `darf höchstens ${maxTypes} Arten nennen`,
    })
  for (const name of names) {
    if (!typeName.test(name))
      return refuseField(['type'], {
        en: 'must name types of events',
        de: 'muss Arten von Ereignissen nennen',
      })
  }
  return [...new Set([...names].flatMap((name) => namesOfEvent(known, name)))]
}

function text(typed: string, field: string): string {
  if (typed === '')
    return refuseField([field], { en: 'must not be empty', de: 'darf nicht leer sein' })
  if (typed.length > maxTextLength) {
    return refuseField([field], {
      en: `must have at most ${maxTextLength} characters`,
      de: `darf höchstens ${maxTextLength} Zeichen haben`,
    })
  }
  return storable(typed, field)
}
