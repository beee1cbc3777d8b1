import { afterCommit } from '../../core/database/commit.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { type Checkpoint, checkpointDigest } from '../../modules/audit/checkpoint-form.ts'
import type { InsertedRecord } from '../../modules/audit/writer.ts'
import { checkpointType } from './endpoints.ts'
import { type OutboxRow, outboxStore } from './outbox-store.ts'
import type { WebhookSubscriptions } from './subscriptions.ts'

/**
 * Keeps the events that an endpoint wants until they are fanned out to the endpoints: one row for each,
 * in the transaction of its record in the audit log. docs/adr/0064
 */
export interface WebhookOutbox {
  /** Adds those of these records that an endpoint wants. */
  addRecords(trx: DatabaseOrTransaction, records: readonly InsertedRecord[]): Promise<void>
  /** Adds a checkpoint of the audit log, if an endpoint wants them. */
  addCheckpoint(trx: DatabaseOrTransaction, checkpoint: Checkpoint): Promise<void>
  /** Notifies the sender of this process, which looks at once. */
  notify(): void
  onAdded(listener: () => void): void
}

export function createWebhookOutbox({
  subscriptions,
}: {
  readonly subscriptions: Pick<WebhookSubscriptions, 'current' | 'wants'>
}): WebhookOutbox {
  const listeners: (() => void)[] = []

  return {
    async addRecords(trx, records) {
      await subscriptions.current(trx)
      const rows = records
        .filter(({ type }) => subscriptions.wants(type))
        .map(({ chain, place, id, type, at, person, userId }) => ({
          ...{ message: id, type, order_key: person, target_id: userId },
          ...{ chain, place, checkpoint: null, at },
        }))
      await add(trx, rows)
    },

    async addCheckpoint(trx, checkpoint) {
      await subscriptions.current(trx)
      if (!subscriptions.wants(checkpointType)) return
      const { number, at } = checkpoint
      const row = {
        message: checkpointMessage(checkpoint),
        type: checkpointType,
        order_key: null,
        target_id: null,
      }
      await add(trx, [{ ...row, chain: null, place: null, checkpoint: number, at }])
    },

    notify,
    onAdded: (listener) => void listeners.push(listener),
  }

  async function add(trx: DatabaseOrTransaction, rows: readonly OutboxRow[]): Promise<void> {
    if (rows.length === 0) return
    await outboxStore(trx).insert(rows)
    afterCommit(trx, notify)
  }

  function notify(): void {
    for (const listener of listeners) listener()
  }
}

/**
 * The `webhook-id` of a checkpoint. A database that went back to an older copy gives its numbers a
 * second time, to other checkpoints: so a part of the digest is in it.
 */
function checkpointMessage(checkpoint: Checkpoint): string {
  return `checkpoint_${checkpoint.number}_${checkpointDigest(checkpoint).slice(0, 16)}`
}
