import type { Checkpoint } from '../checkpoint-form.ts'
import type { AuditRecord } from '../record-form.ts'

/** Sent in this order: the records of a checkpoint, then the checkpoint. */
export type Item = { readonly record: AuditRecord } | { readonly checkpoint: Checkpoint }

/** The last delivered checkpoint. */
export interface SinkOffset {
  readonly number: number
  readonly digest: string
}

export interface Sink {
  /** The address in logs and metrics. */
  readonly name: string
  readonly takesRecords: boolean
  /** Whether a new sink gets all checkpoints instead of the last hour's. */
  readonly fromTheBeginning: boolean
  /** @throws Error if the sink is unavailable */
  offset(): Promise<SinkOffset | null>
  /**
   * Resolves when the receiver has the items, as far as the protocol confirms delivery. @throws
   * Error otherwise; the items are sent again
   */
  send(items: readonly Item[]): Promise<void>
  /** Stores the offset for use after a restart. */
  arrived(offset: SinkOffset): Promise<void>
}
