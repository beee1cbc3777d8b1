import type { Tombstone } from './checkpoint-form.ts'
import { openedOrNull } from './opened-record.ts'
import type { AuditRecord } from './record-form.ts'

/** The name of a person's key that is gone, as a record or a tombstone lists it. */
export interface ClosedKey {
  readonly name: string
  /** When its record was made, in epoch milliseconds. */
  readonly at: number
  /**
   * Null for an erasure that was recorded with it. Otherwise the key was gone before that was done:
   * the last record from before.
   */
  readonly through: number | null
}

/** What records, or the tombstone in their place, list of keys that are gone. */
export interface ClosedKeys {
  readonly keys: readonly ClosedKey[]
  /** The lowest of those that are listed, of keys that are kept or not; null if there is none. */
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
 * Answers the lists of a tombstone that stands for more records than before. It drops the keys that
 * no record has any more: those that were gone a day before `oldest`, the time of the oldest record
 * that is left, or all if none is left.
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
