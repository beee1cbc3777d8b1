import type { Checkpoint } from '../checkpoint-form.ts'
import type { AuditRecord } from '../record-form.ts'

/** What is sent outside, in this order: the records that a checkpoint covers, then the checkpoint. */
export type Item = { readonly record: AuditRecord } | { readonly checkpoint: Checkpoint }

/** The offset of a sink: the last checkpoint that the sink has. */
export interface SinkOffset {
  readonly number: number
  readonly digest: string
}

/** A place outside the database. */
export interface Sink {
  /** Its address, as logs and metrics name it. */
  readonly name: string
  /** Whether it gets records too; otherwise checkpoints alone. */
  readonly takesRecords: boolean
  /** Whether a sink that has nothing yet gets all checkpoints, and not those of the last hour. */
  readonly fromTheBeginning: boolean
  /** Answers the last checkpoint that it has; null if it has none. @throws Error if it is away */
  offset(): Promise<SinkOffset | null>
  /**
   * Delivers items in their order; resolves when the other side has them, as far as its protocol
   * tells. @throws Error if that is not known: the same items are sent again later
   */
  send(items: readonly Item[]): Promise<void>
  /** Notes that everything up to a checkpoint is delivered, for `offset` after a restart. */
  arrived(offset: SinkOffset): Promise<void>
}
