import type { components } from '../../api/openapi.d.ts'

export type AuditRecord = components['schemas']['AuditRecord']
type Refusal = components['schemas']['Refusal']

/** Whose records are shown, and around which refusal; null: the latest ones. */
export interface Wanted {
  /** The user; null: the records of the address of the refusal. */
  readonly subject: string | null
  readonly refusal: Refusal | null
}

const beforeMs = 24 * 3600 * 1000
const afterMs = 3600 * 1000

/** The filters of the audit log that show the same; null: nothing can be shown. */
export function filtersOf({ subject, refusal }: Wanted): Record<string, string>[] {
  const time: Record<string, string> = refusal
    ? { since: shifted(refusal.at, -beforeMs), until: shifted(refusal.at, afterMs) }
    : {}
  if (subject !== null) {
    return [
      { target: subject, ...time },
      { actor: subject, ...time },
    ]
  }
  return refusal ? [{ address: refusal.address, ...time }] : []
}

function shifted(at: string, ms: number): string {
  return new Date(Date.parse(at) + ms).toISOString()
}

/** The records with the place of the refusal among them (null), if none of them is its own. */
export function placed(
  records: readonly AuditRecord[],
  refusal: Refusal | null,
): (AuditRecord | null)[] {
  if (!refusal || records.some(({ request_id }) => request_id === refusal.id)) return [...records]
  const later = records.filter(({ at }) => at > refusal.at)
  return [...later, null, ...records.slice(later.length)]
}
