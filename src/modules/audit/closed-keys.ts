import type { Tombstone } from './checkpoint-form.ts'
import { openedOrNull } from './opened-record.ts'
import type { AuditRecord } from './record-form.ts'

/** An erased key of a person, as a record or a tombstone lists it. */
export interface ClosedKey {
  readonly name: string
  /** When the record that lists the key was made, in epoch milliseconds. */
  readonly at: number
  /**
   * Null if the record of the erasure lists the key. Otherwise the key was erased by an earlier
   * version: the number of the last record of that version.
   */
  readonly through: number | null
}

/** The erased keys that a record, or the tombstone in the place of records, lists. */
export interface ClosedKeys {
  readonly keys: readonly ClosedKey[]
  /** The lowest `through` of all listed keys, dropped keys included; null if there is none. */
  readonly through: number | null
}

const dayMs = 86_400_000
const none: ClosedKeys = { keys: [], through: null }

/** Reads the list of a record, which its mac covers. */
export function closedKeysOf({ at, facts }: Pick<AuditRecord, 'at' | 'facts'>): ClosedKeys {
  if (!facts.includes('"closed"')) return none // as most
  const parsed = openedOrNull(() => JSON.parse(facts))
  if (!Array.isArray(parsed?.closed)) return none
  const names: readonly string[] = parsed.closed
  const through: number | null = parsed.closed_through ?? null
  return { keys: names.map((name) => ({ name, at, through })), through }
}

/** Reads the lists of a tombstone, which its signature covers. */
export function closedKeysOfTombstone({ closed }: Pick<Tombstone, 'closed'>): ClosedKeys {
  if (closed === '') return none
  const [through, ...keys]: [number | null, ...[string, number, number | null][]] =
    JSON.parse(closed)
  return { through, keys: keys.map(([name, at, through]) => ({ name, at, through })) }
}

/**
 * Merges the lists of a tombstone and of the records that it replaces. Drops the keys that no record
 * uses any more: keys that were erased a day before `oldest`, the time of the oldest record that is
 * left; all keys if no record is left.
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
