import { afterCommit } from '../../core/database/commit.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { type Checkpoint, checkpointDigest } from '../../modules/audit/checkpoint-form.ts'
import type { InsertedRecord } from '../../modules/audit/writer.ts'
import { checkpointType } from './endpoints.ts'
import { type OutboxRow, outboxStore } from './outbox-store.ts'
import type { WebhookSubscriptions } from './subscriptions.ts'

/** Stores events until fan-out, in the transaction of the audit record. docs/adr/0064 */
export interface WebhookOutbox {
  /** Only records with a subscribed endpoint. */
  addRecords(trx: DatabaseOrTransaction, records: readonly InsertedRecord[]): Promise<void>
  /** Only with a subscribed endpoint. */
  addCheckpoint(trx: DatabaseOrTransaction, checkpoint: Checkpoint): Promise<void>
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

/** Includes a part of the digest: after a restore of an older backup, checkpoint numbers repeat. */
function checkpointMessage(checkpoint: Checkpoint): string {
  return `checkpoint_${checkpoint.number}_${checkpointDigest(checkpoint).slice(0, 16)}`
}
