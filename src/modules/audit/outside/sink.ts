import type { Checkpoint } from '../checkpoint-form.ts'
import type { AuditRecord } from '../record-form.ts'

/** Records come before their checkpoint. */
export type Item = { readonly record: AuditRecord } | { readonly checkpoint: Checkpoint }

export interface SinkOffset {
  readonly number: number
  readonly digest: string
}

export interface Sink {
  readonly name: string
  readonly takesRecords: boolean
  /** Otherwise a new sink gets the last hour's checkpoints. */
  readonly fromTheBeginning: boolean
  /** @throws Error if unavailable */
  offset(): Promise<SinkOffset | null>
  /**
   * Resolves when delivery is confirmed, as far as the protocol can. @throws Error; the items are
   * sent again
   */
  send(items: readonly Item[]): Promise<void>
  /** Stored for a restart. */
  arrived(offset: SinkOffset): Promise<void>
}
