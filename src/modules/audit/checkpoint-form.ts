import type { Selectable } from 'kysely'
import { digest } from '../../core/crypto/digest.ts'
import type { Schema } from '../../core/database/schema.ts'
import type { CheckpointKey } from './checkpoint-key.ts'

/** A checkpoint as its table holds it, and as a line of the file outside. */
export type Checkpoint = Selectable<Schema['audit_checkpoints']>
export type Unsigned = Omit<Checkpoint, 'key_id' | 'signature'>

/** The signed statement that the beginning of a chain, up to `place`, was removed by retention. */
export type Tombstone = Selectable<Schema['audit_tombstones']>

/** What a checkpoint attests of a chain that has grown since the one before. */
export interface Head {
  readonly chain: string
  /** The first of the places that are new since the checkpoint before. */
  readonly from: number
  /** The last record, with its mac and its number. */
  readonly place: number
  readonly mac: string
  readonly number: number
}

/** The name under which a tombstone tells of removed checkpoints; no chain can have it. */
export const checkpointsTombstone = 'checkpoints'

/** What stands in place of the digest before the first checkpoint. */
export const noCheckpointBefore = ''

/** Answers heads as the column and the signature have them: one array for each. */
export function headsText(heads: readonly Head[]): string {
  return JSON.stringify(
    heads.map(({ chain, from, place, mac, number }) => [chain, from, place, mac, number]),
  )
}

/** Reads the heads of a checkpoint; null if the text is not one that `headsText` answers. */
export function parseHeads(text: string): Head[] | null {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return null
  }
  if (!Array.isArray(parsed)) return null
  const heads: Head[] = []
  for (const entry of parsed) {
    if (!Array.isArray(entry) || entry.length !== 5) return null
    const [chain, from, place, mac, number] = entry
    if (typeof chain !== 'string' || typeof mac !== 'string') return null
    if (![from, place, number].every(Number.isSafeInteger)) return null
    heads.push({ chain, from, place, mac, number })
  }
  return heads
}

/** The text that the signature of a checkpoint covers: all of its fields but the signature. */
export function checkpointText(checkpoint: Omit<Checkpoint, 'signature'>): string {
  const { number, at, previous, heads, records, key_id } = checkpoint
  return JSON.stringify(['gatehouse checkpoint 1', number, at, previous, heads, records, key_id])
}

/** The SHA-256 of a checkpoint, which the next one holds as `previous`. */
export function checkpointDigest(checkpoint: Omit<Checkpoint, 'signature'>): string {
  return digest(checkpointText(checkpoint))
}

/** Signs a checkpoint. */
export function signCheckpoint(key: CheckpointKey, checkpoint: Unsigned): Checkpoint {
  const named = { ...checkpoint, key_id: key.id }
  return { ...named, signature: key.sign(checkpointText(named)) }
}

/** The text that the signature of a tombstone covers. Without lists: the text of versions before 0.10.0. */
export function tombstoneText(tombstone: Omit<Tombstone, 'signature'>): string {
  const { chain, place, mac, records, at, key_id, closed } = tombstone
  const fields = [chain, place, mac, records, at, key_id]
  return JSON.stringify(
    closed === ''
      ? ['gatehouse tombstone 1', ...fields]
      : ['gatehouse tombstone 2', ...fields, closed],
  )
}

/** Signs a tombstone. */
export function signTombstone(
  key: CheckpointKey,
  tombstone: Omit<Tombstone, 'key_id' | 'signature'>,
): Tombstone {
  const named = { ...tombstone, key_id: key.id }
  return { ...named, signature: key.sign(tombstoneText(named)) }
}
