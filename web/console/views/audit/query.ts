import { api, dataOf } from '../../api/client.ts'
import type { components, operations } from '../../api/openapi.d.ts'

export type AuditRecord = components['schemas']['AuditRecord']
type Query = NonNullable<operations['listAuditRecords']['parameters']['query']>

/** The fields of the address that select records, by the names that the API has for them. */
export const filterNames = [
  'type',
  'category',
  'outcome',
  'level',
  'actor',
  'target',
  'address',
  'request_id',
  'since',
  'until',
] as const
export type FilterName = (typeof filterNames)[number]
export type Filters = Readonly<Partial<Record<FilterName, string>>>

/** The filters of an address, without what else stands in it. */
export function filtersOf(fields: Readonly<Record<string, string>>): Filters {
  const given = filterNames.filter((name) => fields[name])
  return Object.fromEntries(given.map((name) => [name, fields[name]]))
}

/** An address of the audit view. Empty fields are left out. */
export function auditAddress(fields: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(fields).flatMap(([name, value]) => (value ? [[name, value]] : []))
  const search = new URLSearchParams(given).toString()
  return search === '' ? '/admin/audit' : `/admin/audit?${search}`
}

/** Where it is told why a request was refused. */
export function whyAddress(requestId: string): string {
  return `/admin/why?${new URLSearchParams({ q: requestId }).toString()}`
}

/** The filters as the API reads them in an address. */
export function searchOf(filters: Filters): string {
  return new URLSearchParams(Object.entries(filters)).toString()
}

/** One page of records, the newest first. */
export function readRecords(
  filters: Filters,
  more: Pick<Query, 'limit' | 'cursor' | 'after'>,
  signal: AbortSignal,
) {
  const { type, ...others } = filters
  // What the address has may be anything: the API refuses what it does not know.
  const query = { ...others, ...(type && { type: type.split(',') }), ...more } as Query
  return dataOf(api.GET('/api/admin/audit', { params: { query }, signal }))
}

const ulid = /^[0-9A-HJKMNP-TV-Z]{26}$/
const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/**
 * Reads one record by its id, a ULID: it begins with its time in milliseconds, at which few others are.
 * Null if there is none. https://github.com/ulid/spec
 */
export async function readRecord(id: string, signal: AbortSignal): Promise<AuditRecord | null> {
  if (!ulid.test(id)) return null
  const at = [...id.slice(0, 10)].reduce((sum, digit) => sum * 32 + digits.indexOf(digit), 0)
  const within = { since: new Date(at).toISOString(), until: new Date(at + 1).toISOString() }
  const { data } = await readRecords(within, { limit: 1000 }, signal)
  return data.find((record) => record.id === id) ?? null
}
