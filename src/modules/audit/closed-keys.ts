import type { Tombstone } from './checkpoint-form.ts'
import { openedOrNull } from './opened-record.ts'
import type { AuditRecord } from './record-form.ts'

export interface ClosedKey {
  readonly name: string
  /** Time of the record that lists the key, epoch milliseconds. */
  readonly at: number
  /**
   * Null if the record of the erasure lists the key; otherwise an earlier version erased the key:
   * the last record number of that version.
   */
  readonly through: number | null
}

/** The erased keys that a record or a tombstone lists. */
export interface ClosedKeys {
  readonly keys: readonly ClosedKey[]
  /** Lowest `through` of all listed keys, also dropped keys; null if none. */
  readonly through: number | null
}

const dayMs = 86_400_000
const none: ClosedKeys = { keys: [], through: null }

/** The mac of the record covers the list. */
export function closedKeysOf({ at, facts }: Pick<AuditRecord, 'at' | 'facts'>): ClosedKeys {
  if (!facts.includes('"closed"')) return none // most records
  const parsed = openedOrNull(() => JSON.parse(facts))
  if (!Array.isArray(parsed?.closed)) return none
  const names: readonly string[] = parsed.closed
  const through: number | null = parsed.closed_through ?? null
  return { keys: names.map((name) => ({ name, at, through })), through }
}

/** The signature of the tombstone covers the lists. */
export function closedKeysOfTombstone({ closed }: Pick<Tombstone, 'closed'>): ClosedKeys {
  if (closed === '') return none
  const [through, ...keys]: [number | null, ...[string, number, number | null][]] =
    JSON.parse(closed)
  return { through, keys: keys.map(([name, at, through]) => ({ name, at, through })) }
}

/**
 * Merges the lists of a tombstone and of the records that it replaces. Drops keys erased a day
 * before `oldest`, the time of the oldest remaining record: no record uses them. Drops all keys if
 * no record remains.
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
