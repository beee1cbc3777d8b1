import type { Tombstone } from './checkpoint-form.ts'
import { openedOrNull } from './opened-record.ts'
import type { AuditRecord } from './record-form.ts'

export interface ClosedKey {
  readonly name: string
  /** Time of the listing record, epoch milliseconds. */
  readonly at: number
  /**
   * Last record number of the earlier version that erased the key; null if the erasure's record
   * lists the key.
   */
  readonly through: number | null
}

export interface ClosedKeys {
  readonly keys: readonly ClosedKey[]
  /** Lowest `through` of all keys, also dropped keys, or null. */
  readonly through: number | null
}

const dayMs = 86_400_000
const none: ClosedKeys = { keys: [], through: null }

/** Covered by the record's mac. */
export function closedKeysOf({ at, facts }: Pick<AuditRecord, 'at' | 'facts'>): ClosedKeys {
  if (!facts.includes('"closed"')) return none // most records
  const parsed = openedOrNull(() => JSON.parse(facts))
  if (!Array.isArray(parsed?.closed)) return none
  const names: readonly string[] = parsed.closed
  const through: number | null = parsed.closed_through ?? null
  return { keys: names.map((name) => ({ name, at, through })), through }
}

/** Covered by the tombstone's signature. */
export function closedKeysOfTombstone({ closed }: Pick<Tombstone, 'closed'>): ClosedKeys {
  if (closed === '') return none
  const [through, ...keys]: [number | null, ...[string, number, number | null][]] =
    JSON.parse(closed)
  return { through, keys: keys.map(([name, at, through]) => ({ name, at, through })) }
}

/**
 * Merges the lists of a tombstone and its removed records. Drops unused keys: erased a day before
 * `oldest`, the oldest remaining record; all keys if no record remains.
 */
export function closedText(lists: readonly ClosedKeys[], oldest: number | null): string {
  const kept = lists
    .flatMap(({ keys }) => keys)
    .filter(({ at }) => oldest !== null && at > oldest - dayMs)
  const known = lists.flatMap(({ through }) => through ?? [])
  const through = known.length > 0 ? Math.min(...known) : null
  if (kept.length === 0 && through === null) return ''
  return JSON.stringify([through, ...kept.map(({ name, at, through }) => [name, at, through])])
}
