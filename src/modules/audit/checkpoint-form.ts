import type { Selectable } from 'kysely'
import { digest } from '../../core/crypto/digest.ts'
import type { Schema } from '../../core/database/schema.ts'
import type { CheckpointKey } from './checkpoint-key.ts'

export type Checkpoint = Selectable<Schema['audit_checkpoints']>
export type Unsigned = Omit<Checkpoint, 'key_id' | 'signature'>

/** Signed: retention removed a chain up to `place`. */
export type Tombstone = Selectable<Schema['audit_tombstones']>

/** New end of a grown chain. */
export interface Head {
  readonly chain: string
  readonly from: number
  /** Of the last record. */
  readonly place: number
  readonly mac: string
  readonly number: number
}

/** Never the name of a chain. */
export const checkpointsTombstone = 'checkpoints'

/** The `previous` of the first checkpoint. */
export const noCheckpointBefore = ''

export function headsText(heads: readonly Head[]): string {
  return JSON.stringify(
    heads.map(({ chain, from, place, mac, number }) => [chain, from, place, mac, number]),
  )
}

/** Null if malformed. */
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

export function checkpointText(checkpoint: Omit<Checkpoint, 'signature'>): string {
  const { number, at, previous, heads, records, key_id } = checkpoint
  return JSON.stringify(['gatehouse checkpoint 1', number, at, previous, heads, records, key_id])
}

/** SHA-256; the next checkpoint's `previous`. */
export function checkpointDigest(checkpoint: Omit<Checkpoint, 'signature'>): string {
  return digest(checkpointText(checkpoint))
}

export function signCheckpoint(key: CheckpointKey, checkpoint: Unsigned): Checkpoint {
  const named = { ...checkpoint, key_id: key.id }
  return { ...named, signature: key.sign(checkpointText(named)) }
}

/** Without lists: the text of versions before 0.10.0. */
export function tombstoneText(tombstone: Omit<Tombstone, 'signature'>): string {
  const { chain, place, mac, records, at, key_id, closed } = tombstone
  const fields = [chain, place, mac, records, at, key_id]
  return JSON.stringify(
    closed === ''
      ? ['gatehouse tombstone 1', ...fields]
      : ['gatehouse tombstone 2', ...fields, closed],
  )
}

export function signTombstone(
  key: CheckpointKey,
  tombstone: Omit<Tombstone, 'key_id' | 'signature'>,
): Tombstone {
  const named = { ...tombstone, key_id: key.id }
  return { ...named, signature: key.sign(tombstoneText(named)) }
}
