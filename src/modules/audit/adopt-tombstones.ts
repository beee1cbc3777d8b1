import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { type AuditKeysDeps, readAuditKeys } from '../keys/audit-keys.ts'
import { signTombstone } from './checkpoint-form.ts'
import { checkpointKey } from './checkpoint-key.ts'
import { assertNotTurnedAway } from './checkpoint-key-rotation.ts'
import { checkpointStore } from './checkpoint-store.ts'

/**
 * Re-signs the tombstones of a restored, authenticated backup. Any other key on a tombstone is then
 * a forgery, because tombstones are not linked to each other.
 * @throws Error as `assertNotTurnedAway`
 */
export async function adoptTombstones(
  trx: DatabaseOrTransaction,
  deps: AuditKeysDeps,
): Promise<void> {
  const store = checkpointStore(trx)
  const key = checkpointKey((await readAuditKeys(trx, deps)).checkpointSeed)
  await assertNotTurnedAway(trx, key)
  for await (const { key_id, signature: _, ...kept } of store.tombstones()) {
    if (key_id === key.id) continue
    await store.keepTombstone(signTombstone(key, kept))
  }
}
