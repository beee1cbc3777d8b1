import type { DatabaseOrTransaction } from '../../../core/database/database.ts'
import { checkpointStore } from '../checkpoint-store.ts'
import { signedInWithoutKey } from '../subjects-store.ts'

/** Users without a key who signed in since the oldest record; at most 100. Null without records. */
export async function usersWithoutKey(db: DatabaseOrTransaction): Promise<number[] | null> {
  const oldest = await checkpointStore(db).oldestRecord()
  return oldest === null ? null : signedInWithoutKey(db, oldest)
}
